"""The palette: text on every fill is readable, and the two sides differ for every kind of colour vision."""

from __future__ import annotations

import pytest

from tiebreak.report.style import DARK, LIGHT, SYMBOL, variables


def luminance(colour: str) -> float:
    """Relative luminance by WCAG 2.2."""
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_computed_as_defined() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_text_has_a_contrast_above_four_and_a_half(palette: dict[str, str]) -> None:
    for kind in ("first", "second", "equal"):
        assert contrast(palette[kind], palette["on-fill"]) > 4.5
    assert contrast(palette["open"], palette["on-open"]) > 4.5
    for text in ("text", "muted", "link"):
        assert contrast(palette[text], palette["page"]) > 4.5
        assert contrast(palette[text], palette["panel"]) > 4.5
    assert contrast(palette["text"], palette["warn"]) > 4.5
    for line in ("edge", "first", "second", "equal"):
        assert contrast(palette[line], palette["page"]) > 3  # WCAG 1.4.11, graphics


def test_signs_do_not_need_colour_and_palettes_have_the_same_names() -> None:
    assert len(set(SYMBOL.values())) == 4
    assert set(LIGHT) == set(DARK)
    assert variables({"page": "#fff", "text": "#000"}) == "--page:#fff;--text:#000;"

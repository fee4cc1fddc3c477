"""The palette and the names in pictures: readable, and never two alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.report.style import DARK, LIGHT, LONGEST, SYMBOL, short_names, variables, width

# ---- The palette: text on every fill is readable, and the two sides differ for every kind of colour vision. --------


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


# ---- Names in pictures: one line, not too long, both ends kept, and never two alike. -------------------------------


def short(name: str, longest: int = LONGEST) -> str:
    return short_names([name], longest)[name]


def test_short_names_stay() -> None:
    assert short("gpt-4") == "gpt-4"
    assert short("two\nlines") == r"two\nlines"
    assert short("  ") == "(no name)"


def test_long_names_keep_both_ends() -> None:
    name = "organisation/" + "very-" * 20 + "instruct-v2"
    assert len(short(name)) == LONGEST
    assert short(name).startswith("organisation/")
    assert short(name).endswith("instruct-v2")
    assert len(short(name, 24)) == 24


PREFIX = "organisation/some-large-language-model-7b-"


@pytest.mark.parametrize("longest", [24, LONGEST])
@pytest.mark.parametrize("end", ["", "-instruct-chat-tuned-on-data"])
def test_twenty_names_with_a_prefix_of_forty_characters_stay_different(longest: int, end: str) -> None:
    assert len(PREFIX) >= 40
    names = [f"{PREFIX}v{k:02d}{end}" for k in range(20)]
    found = short_names(names, longest)
    assert len(set(found.values())) == 20
    for k, name in enumerate(names):
        assert len(found[name]) <= longest
        assert f"v{k:02d}" in found[name]  # what they differ in is there
        assert found[name].startswith("organ")


def test_names_that_differ_in_two_distant_places_get_a_number() -> None:
    names = [f"a{'b' * 40}{x}{'c' * 60}{y}{'d' * 40}" for x in "12" for y in "12"]
    found = short_names(names)
    assert len(set(found.values())) == 4
    assert all(len(mine) <= LONGEST for mine in found.values())


@given(st.lists(st.text("ab-…1", max_size=60), unique=True, max_size=12))
def test_names_are_never_made_alike(names: list[str]) -> None:
    found = short_names(names)
    assert len(set(found.values())) == len(names)
    assert all(len(mine) <= LONGEST for mine in found.values())


def test_wide_characters_need_more_room() -> None:
    assert width("日本", 10) == 20
    assert width("ab", 10) < width("MM", 10)
    assert width("", 10) == 0

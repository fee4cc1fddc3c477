"""How numbers are written: the same everywhere."""

from __future__ import annotations


def number(value: float, digits: int = 2) -> str:
    """A number without the zero before the point, as papers print shares: .05, -.12, 1.00."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("0.", ".", 1) if abs(value) < 1 and text.lstrip("-").startswith("0.") else text


def known_number(value: float | None) -> str:
    """`number`, or "-" where there is too little evidence for one."""
    return "-" if value is None else number(value)


def plain(value: float) -> str:
    """A setting as the user gave it, without the leading zero: .05, .1, .001."""
    text = f"{value:g}"
    return text[1:] if text.startswith("0.") else text


def percent(share: float) -> str:
    """A share as a setting: `"95 %"`, `"99.9 %"`."""
    return f"{100 * share:.12g} %"


def rounded(count: int) -> str:
    """Two significant digits: a projection is not known better."""
    if count < 100:
        return str(count)
    scale = 10 ** (len(str(count)) - 2)
    return f"{round(count / scale) * scale:,}"


def counted(count: int, noun: str) -> str:
    """`"1 label"`, `"1,200 labels"`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"

"""Results as tables, as pictures and as one HTML file; the libraries that draw load when something is drawn."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiebreak.report.document import html, render

_HOMES = {"html": "tiebreak.report.document", "render": "tiebreak.report.document"}

__all__ = ["html", "render"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'tiebreak.report' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__

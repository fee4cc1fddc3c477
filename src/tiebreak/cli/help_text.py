"""Help of a command as running text: a terminal of any width breaks its lines, not the source."""

from __future__ import annotations

import inspect
from collections.abc import Callable


def help_of(command: Callable[..., object]) -> str:
    """The docstring with each paragraph on one line; blank lines part paragraphs, as they do there."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)

"""Where output goes: results to standard output, everything else to standard error."""

from __future__ import annotations

import sys

from rich.console import Console

_PIPED_WIDTH = 120  # a pipe has no width; tables are kept readable in logs


def console_for_results() -> Console:
    """Standard output; as wide as the terminal, or 120 columns into a file or pipe."""
    return Console(file=sys.stdout, width=None if sys.stdout.isatty() else _PIPED_WIDTH, highlight=False, emoji=False)


def console_for_messages() -> Console:
    """Standard error, for progress and remarks beside a result."""
    return Console(file=sys.stderr, width=None if sys.stderr.isatty() else _PIPED_WIDTH, highlight=False, emoji=False)

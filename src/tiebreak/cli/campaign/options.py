"""What the commands of a campaign share: its folder as an argument, and the clock."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from tiebreak.cli.setting_options import argument, option
from tiebreak.errors import InputError, Problem, UsageError

CampaignArgument = Annotated[Path, argument("Folder of the campaign.", "CAMPAIGN")]

ReasonOption = Annotated[str, option("Why, for the log and for status.", "TEXT", "--reason")]


def one_line(text: str) -> str:
    """The words of a name or reason, with one space between them."""
    return " ".join(text.split())


def read_bytes(path: Path, hint: str = "") -> bytes:
    """The content of a file that a command was given.

    Raises:
        InputError: it cannot be read; `hint`: what to write instead.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError([Problem(str(path), f"cannot be read: {error.strerror or error}{hint}")]) from error


def check_outside(campaign: Path, path: Path) -> None:
    """Raise UsageError if `path` lies in the campaign's folder, whose files are written by its own commands only."""
    if path.resolve().is_relative_to(campaign.resolve()):
        raise UsageError(f"cannot write {path}: it lies in the campaign's folder; write it beside that")


def now() -> str:
    """The present time as events write it: UTC, to the second. Only commands read a clock."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

"""What the answers of an evaluator are good for in the study that they were written into."""

from __future__ import annotations

from pathlib import Path

from tiebreak.cli.score_next import show_next
from tiebreak.cli.terminal import console_for_results, say
from tiebreak.data.provenance import LEFT_OUT
from tiebreak.data.readers import read_study


def show_use(study: Path, option: str, name: str) -> None:
    """The next command, with the option that names a judge or metric; or on which items results leave it out."""
    read = read_study(study)
    about = [notice.text for notice in read.notices if notice.code == LEFT_OUT and notice.details["name"] == name]
    for text in about:
        say(console_for_results(), text)
    if not any(passed == name for _, passed in read.passed_over):
        show_next(study, (option, name))

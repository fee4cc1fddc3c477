from __future__ import annotations

from dataclasses import dataclass

from tiebreak.settings.checks import command_words
from tiebreak.settings.setting import Setting, setting


@dataclass(frozen=True)
class Example:
    margin: float | None = setting(None, Setting("A"))
    human: bool = setting(True, Setting("A", flags="--human/--no-human"))
    metrics: tuple[str, ...] = setting((), Setting("A", option="metric"))
    systems: tuple[str, ...] | None = setting(None, Setting("A", listed=True))
    qualities: tuple[float, ...] = setting((0.2, 0.0), Setting("A"))
    hidden: int = setting(1, Setting("A", file_only=True))


def test_defaults_need_no_words() -> None:
    assert command_words(Example()) == []


def test_what_differs_is_given_by_its_options() -> None:
    changed = Example(0.1, False, ("bleu", "chrf"), ("a,b", "c"), (1.0, 0.5), 7)
    assert command_words(changed) == [
        *("--margin", "0.1", "--no-human", "--metric", "bleu", "--metric", "chrf"),
        *("--systems", '"a,b",c', "--qualities", "1.0,0.5"),
    ]

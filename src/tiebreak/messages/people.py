"""People who are left out of a comparison, and what that changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tiebreak.messages.notices import NoticeKind
from tiebreak.numbers import counted, some_names
from tiebreak.records import Notice, Verdict

PEOPLE_LEFT_OUT: Final = NoticeKind(
    "people-left-out", "`--exclude` left people out", "report both results, and which verdicts change"
)

_SHOWN: Final = 3
PairKey = tuple[str | None, str, str]
"""Criterion, system_a and system_b."""
Verdicts = Mapping[PairKey, Verdict]


def people_left_out(
    names: Sequence[str], annotators: int, labels: tuple[int, int], everybody: Verdicts, without: Verdicts
) -> Notice:
    """Of so many `annotators` those `names` are left out. `labels`: with everybody, and without them."""
    changed = [key for key in sorted({*everybody, *without}, key=str) if everybody.get(key) != without.get(key)]
    total, left = labels
    whom = f"{counted(len(names), 'annotator')} of {annotators:,} ({some_names(names)})" if names else "nobody here"
    text = (
        f"Left out: {whom}, with {total - left:,} of {total:,} labels. {_changes(changed, everybody, without)} Leaving "
        "people out for what they answered on these pairs bends the error: do it for reasons that do not depend on "
        "these answers, and report both."
    )
    return PEOPLE_LEFT_OUT.notice(
        text,
        annotators=list(names),
        labels=total,
        labels_left=left,
        changed=[
            {
                "criterion": key[0],
                "system_a": key[1],
                "system_b": key[2],
                "with_everybody": everybody.get(key),
                "verdict": without.get(key),
            }
            for key in changed
        ],
    )


def left_out(names: Sequence[str], labels: Mapping[str, int]) -> Notice:
    """Of all annotators, whose `labels` these are, those `names` are left out."""
    total, gone = sum(labels.values()), sum(labels[name] for name in names)
    text = (
        f"Left out: {counted(len(names), 'annotator')} of {len(labels):,} ({some_names(names)}), with {gone:,} of "
        f"{total:,} labels. Report the result with everybody, too."
    )
    return PEOPLE_LEFT_OUT.notice(text, annotators=list(names), labels=total, labels_left=total - gone)


def _changes(changed: Sequence[PairKey], everybody: Verdicts, without: Verdicts) -> str:
    """Which verdicts differ, in a sentence."""
    if not changed:
        same = "the verdict is" if len(without) == 1 else f"all {len(without):,} verdicts are"
        return f"With everybody, {same} the same."
    several = len({criterion for criterion, _, _ in without}) > 1
    shown = [
        f"{_pair(key, several=several)}: {_verdict(key, without)} (with everybody {_verdict(key, everybody)})"
        for key in changed[:_SHOWN]
    ]
    more = f"; and {len(changed) - _SHOWN:,} more" if len(changed) > _SHOWN else ""
    verb = "is another" if len(changed) == 1 else "are others"
    verdicts = counted(len({*everybody, *without}), "verdict")
    return f"{len(changed):,} of {verdicts} {verb}: {'; '.join(shown)}{more}."


def _pair(key: PairKey, *, several: bool) -> str:
    criterion, a, b = key
    return f"{a} and {b} ({criterion})" if several and criterion else f"{a} and {b}"


def _verdict(key: PairKey, verdicts: Verdicts) -> str:
    verdict = verdicts.get(key)
    if verdict is None:
        return "not compared"
    return {"a": f"{key[1]} is better", "b": f"{key[2]} is better"}.get(verdict, verdict)

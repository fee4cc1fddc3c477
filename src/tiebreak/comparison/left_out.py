"""What changes where people are left out: who they are, how many labels are left, and which verdicts are others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl

from tiebreak.data.study import Study
from tiebreak.records import Notice, Verdict
from tiebreak.results.numbers import counted, some_names
from tiebreak.results.records import CompareResult

_SHOWN = 3
_Key = tuple[str | None, str, str]


def people_left_out(study: Study, chosen: Study, everybody: CompareResult, without: CompareResult) -> Notice:
    """The two results side by side.

    `study`: with everybody; `chosen`: without those left out, `everybody` and `without` their results by settings that
    are otherwise the same.
    """
    criteria = dict.fromkeys(found.criterion for result in (everybody, without) for found in result.results)
    before, after = (_labels(some, tuple(criteria)) for some in (study, chosen))
    names = sorted(before.keys() - after.keys())
    total, left = before.total(), after.total()
    first, second = (_verdicts(result) for result in (everybody, without))
    changed = [key for key in sorted(first | second, key=str) if first.get(key) != second.get(key)]
    several = len(without.results) > 1
    whom = f"{counted(len(names), 'annotator')} of {len(before):,} ({some_names(names)})" if names else "nobody here"
    text = (
        f"Left out: {whom}, with {total - left:,} of {total:,} labels. "
        f"{_changes(changed, first, second, several=several)} Leaving people out for what they answered on "
        "these pairs bends the error: do it for reasons that do not depend on these answers, and report both."
    )
    details: dict[str, object] = {
        "annotators": names,
        "labels": total,
        "labels_left": left,
        "changed": [
            {
                "criterion": criterion,
                "system_a": a,
                "system_b": b,
                "with_everybody": first.get((criterion, a, b)),
                "verdict": second.get((criterion, a, b)),
            }
            for criterion, a, b in changed
        ],
    }
    return Notice("people-left-out", text, details)


def _changes(changed: list[_Key], first: dict[_Key, Verdict], second: dict[_Key, Verdict], *, several: bool) -> str:
    """Which verdicts differ, in a sentence."""
    if not changed:
        return (
            f"With everybody, {'the verdict is' if len(second) == 1 else f'all {len(second):,} verdicts are'} the same."
        )
    shown = [
        f"{_pair(key, several=several)} {_said(key, second)} (with everybody {_said(key, first)})"
        for key in changed[:_SHOWN]
    ]
    more = f"; and {len(changed) - _SHOWN:,} more" if len(changed) > _SHOWN else ""
    verb = "is another" if len(changed) == 1 else "are others"
    return f"{len(changed):,} of {counted(len(first | second), 'verdict')} {verb}: {'; '.join(shown)}{more}."


def _pair(key: _Key, *, several: bool) -> str:
    criterion, a, b = key
    return f"{a} and {b}{f' ({criterion})' if several and criterion else ''}:"


def _said(key: _Key, verdicts: dict[_Key, Verdict]) -> str:
    """A verdict in words, also that there is none."""
    verdict = verdicts.get(key)
    if verdict is None:
        return "not compared"
    return {"a": f"{key[1]} is better", "b": f"{key[2]} is better"}.get(verdict, verdict)


def _verdicts(result: CompareResult) -> dict[_Key, Verdict]:
    return {
        (found.criterion, pair.system_a, pair.system_b): pair.verdict
        for found in result.results
        for pair in found.pairs
    }


def _labels(study: Study, criteria: Sequence[str | None]) -> Counter[str]:
    """Labels of each annotator on these criteria."""
    found: Counter[str] = Counter()
    for criterion in criteria:
        for frame in (study.preferences, study.ratings):
            if frame is not None:
                found.update(frame.filter(pl.col("criterion").eq_missing(pl.lit(criterion)))["annotator"])
    return found

"""A study that grows, and the looks at it, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tiebreak.data.study import Study
from tiebreak.results.records import CompareResult, PairResult, WatchProgress
from tiebreak.watching.evidence import LedgerEvidence, WatchedEvidence
from tiebreak.watching.ledger import Ledger, Look, ledger_of, look_from_json, look_to_json
from tiebreak.watching.result import result_of
from tiebreak.watching.seeing import first_look, next_look
from tiebreak.watching.settings import WatchSettings

Row = dict[str, Any]


def label(item: str, outcome: str, annotator: str = "ann", a: str = "ant", b: str = "bee", **more: object) -> Row:
    return {"item": item, "system_a": a, "system_b": b, "annotator": annotator, "outcome": outcome, **more}


def labels(outcomes: str, start: int = 0, annotator: str = "ann") -> list[Row]:
    """On the items i0, i1, ... from `start` on: `w` for ant, `t` tie, `l` for bee."""
    words = {"w": "a", "t": "tie", "l": "b"}
    return [label(f"i{start + k}", words[code], annotator) for k, code in enumerate(outcomes)]


@dataclass
class Watched:
    """`rows`: preferences so far; `tables`: the other tables of the study."""

    tables: dict[str, Any] = field(default_factory=dict)
    settings: WatchSettings = field(default_factory=lambda: WatchSettings(items_per_pair=100))
    seed: str = "5eed"
    rows: list[Row] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)

    @property
    def study(self) -> Study:
        return Study.from_tables(preferences=self.rows or None, **self.tables)

    def look(self, new: Sequence[Row] = (), *, exclude: Sequence[str] = (), closed: Sequence[str] = ()) -> Ledger:
        """A look after these rows came in, by way of JSON."""
        self.rows += new
        at = f"2026-01-{len(self.looks) + 1:02d}T00:00:00Z"
        if self.looks:
            found, _ = next_look(self.ledger, self.study, at=at, exclude=exclude, closed=closed)
        else:
            found = first_look(self.study, self.settings, at=at, seed=self.seed, exclude=exclude, closed=closed)
        self.looks.append(look_from_json(look_to_json(found)))
        return self.ledger

    @property
    def ledger(self) -> Ledger:
        return ledger_of(self.looks)

    @property
    def evidence(self) -> WatchedEvidence:
        """Of the only pair of the first family."""
        return LedgerEvidence(self.ledger).of_family(self.ledger.families[0])[0]

    @property
    def values(self) -> list[float]:
        """What evidence for the first system bets on."""
        return [round(value, 9) for value in self.evidence.evidence.sequence.for_a.tolist()]

    @property
    def ends(self) -> list[int]:
        """Units at the end of each look that brought any."""
        ends = self.evidence.evidence.sequence.looks
        assert ends is not None
        return ends.tolist()

    @property
    def result(self) -> CompareResult:
        return result_of(self.ledger, self.study)

    @property
    def summary(self) -> WatchProgress:
        found = self.result.watch
        assert found is not None
        return found

    @property
    def pair(self) -> PairResult:
        """The result of the first pair."""
        return self.result.results[0].pairs[0]


def outputs(items: int, same: Sequence[int] = (), systems: Sequence[str] = ("ant", "bee")) -> list[Row]:
    """A text of each system for i0, i1, ...; those of the items `same` are alike."""
    return [
        {"item": f"i{k}", "system": name, "text": f"text {k}" if k in same else f"{name} {k}"}
        for name in systems
        for k in range(items)
    ]

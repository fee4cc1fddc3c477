"""What the verdicts and the intervals of a rule promise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from tiebreak.records import Target

INDEPENDENT: Final = "items are independent"
CHANCE_RATED: Final = "chance decided who rated which output"
FIXED_BUDGET: Final = "the budget was fixed before the first label"
"""What a promise takes on trust, where there is reason to say so."""

_DOUBTED: Final = ", which a warning doubts"


@dataclass(frozen=True, slots=True)
class Guarantee:
    """Completes the sentence "Verdicts ...", or "Intervals ...".

    `says`: when they hold, or what they are if nothing is promised. `chance`: of which error, and at most how large;
    "" where no chance is bounded. `provided`: what is taken on trust. `advice`: a sentence for the person who runs the
    command, which no paper needs.
    """

    says: str
    chance: str = ""
    provided: tuple[str, ...] = ()
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.in_a_paper}. {self.advice}" if self.advice else self.in_a_paper

    @property
    def in_a_paper(self) -> str:
        """Without advice."""
        return f"{self.says}{self.provisos}: {self.chance}" if self.chance else f"{self.says}{self.provisos}"

    @property
    def in_short(self) -> str:
        """Without advice, and without conditions where there are several: these stand where there is room."""
        if len(self.provided) <= 1:
            return self.in_a_paper
        says = f"{self.says} ({len(self.provided)} conditions: --all)"
        return replace(self, says=says, provided=()).in_a_paper

    @property
    def provisos(self) -> str:
        """What is taken on trust, with a comma before it; "" where nothing is."""
        *others, last = (f"that {condition}" for condition in self.provided) if self.provided else [""]
        if not last:
            return ""
        return f", provided {', '.join(others)}{' and ' if others else ''}{last}"

    def doubted(self) -> Guarantee:
        """The same, where a warning doubts that items are independent; a promise of no chance needs no doubt."""
        if not self.chance:
            return self
        return replace(self, provided=(*self.provided, f"{INDEPENDENT}{_DOUBTED}"))


ALL_COUNTED: Final = Guarantee("are certain, about these labels: every item of the pool is labelled and counted")
"""A guarantee without a chance of error."""


@dataclass(frozen=True, slots=True)
class Validity:
    """When an interval holds. `says` completes "Intervals hold with ...".

    `of`: what may turn out otherwise: other items or labels in a "sample", other labels of the same people on these
    items ("fresh-labels"), or "nothing", where all labels there are were counted. `promised`: False where no interval
    of the result is to be trusted.
    """

    says: str
    of: Literal["sample", "fresh-labels", "nothing"] = "sample"
    promised: bool = True

    def __str__(self) -> str:
        return self.says

    def withdrawn(self) -> Validity:
        """Without its promise."""
        return replace(self, says=f"no promise (meant: {self.says})", promised=False) if self.promised else self


FRESH_LABELS: Final = "for fresh labels of the same people"
CERTAIN: Final = Validity("certainty, about these labels", of="nothing")
"""Of an interval where every item of a pool is labelled, several times or once."""


FOR_PEOPLE: Final = "on inputs and for people like these"
"""About what an interval is that allows for other people, too."""


def scope_words(target: Target) -> str:
    """About what an interval is."""
    return "on inputs like these" if target == "inputs" else "on these items"

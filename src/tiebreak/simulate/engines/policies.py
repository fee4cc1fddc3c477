"""Labelling policies by name, without the arrays that `labelling` computes with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from tiebreak.errors import UsageError, did_you_mean

PolicyName = Literal["fixed", "one", "majority", "max-three"]
POLICY_NAMES: Final[tuple[PolicyName, ...]] = get_args(PolicyName)


@dataclass(frozen=True, slots=True)
class LabellingPolicy:
    """`fixed`: one person labels all items; `one`: another person on each; `majority`: `people` (odd) vote on each;
    `max-three`: two, and a third where they disagree.

    Raises `UsageError` for an unknown name, an even panel, or a number of people that the policy does not have.
    """

    name: PolicyName
    people: int = 1

    def __post_init__(self) -> None:
        if self.name not in POLICY_NAMES:
            raise UsageError(f"no labelling policy {self.name!r}{did_you_mean(self.name, POLICY_NAMES)}")
        allowed = {"fixed": "1", "one": "1", "max-three": "3"}.get(self.name)
        if self.name == "majority" and (self.people < 3 or self.people % 2 == 0):
            raise UsageError(f"a majority needs an odd number of people from 3, not {self.people}")
        if allowed is not None and str(self.people) != allowed:
            raise UsageError(f"the labelling policy {self.name} asks {allowed} on an item at most, not {self.people}")

    @classmethod
    def parse(cls, text: str) -> LabellingPolicy:
        """From `one`, `fixed`, `max-three`, `majority` (of three) or `majority-N`."""
        name, _, people = text.partition("-") if text.startswith("majority") else (text, "", "")
        if people and not people.isdigit():
            raise UsageError(f"{text!r} is no labelling policy; a panel of five is majority-5")
        panel = int(people) if people else {"max-three": 3, "majority": 3}.get(name, 1)
        return cls(name, panel)  # type: ignore[arg-type]  # checked on construction

    def __str__(self) -> str:
        return f"{self.name}-{self.people}" if self.name == "majority" else self.name

"""Who gave the labels of a criterion, and what each system was rated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, overload


@dataclass(frozen=True, slots=True)
class AnnotatorLabels:
    """`labels`: preferences and ratings that one person gave on the criterion."""

    annotator: str
    labels: int


@dataclass(frozen=True, slots=True)
class Annotators(Sequence[AnnotatorLabels]):
    """How many labels each of `names` gave, most first. By column, as there may be a million people."""

    names: tuple[str, ...] = ()
    labels: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, place: int) -> AnnotatorLabels: ...

    @overload
    def __getitem__(self, place: slice) -> Annotators: ...

    def __getitem__(self, place: int | slice) -> AnnotatorLabels | Annotators:
        if isinstance(place, slice):
            return Annotators(self.names[place], self.labels[place])
        return AnnotatorLabels(self.names[place], self.labels[place])

    @property
    def total(self) -> int:
        """Labels of all of them."""
        return sum(self.labels)


NOBODY: Final = Annotators()


@dataclass(frozen=True, slots=True)
class SystemRatings:
    """Mean and standard deviation (None of a single rating) of the ratings of one system on the criterion."""

    system: str
    mean: float
    deviation: float | None
    ratings: int

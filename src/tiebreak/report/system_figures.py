"""One figure per system and criterion, for the table of systems and its picture: win rates or means, with letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tiebreak.messages.claims import agreement_sentences
from tiebreak.messages.estimates import paper_sentence as sentence_on_means
from tiebreak.messages.tables import systems_note
from tiebreak.numbers import interval, known_number, natural_key
from tiebreak.results.comparison_terms import Terms
from tiebreak.results.estimates import EstimateResult, SystemEstimate, best_of
from tiebreak.results.records import CompareResult, CriterionResult
from tiebreak.results.standing import win_rates_of

WIN_RATE = "win rate"
MEAN_RATING = "mean rating"


@dataclass(frozen=True, slots=True)
class SystemFigure:
    """A value, None where it is not known, and the ends of its interval, where there is one. Systems that share a
    letter are not told apart; `letters` are "" where nobody asked for verdicts.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    letters: str = ""

    @property
    def figure(self) -> str:
        """Such as `0.65 [0.60, 0.71]`."""
        ends = "" if self.low is None or self.high is None else f" {interval(self.low, self.high)}"
        return f"{known_number(self.value)}{ends}"

    @property
    def text(self) -> str:
        """With its letters: `0.65 [0.60, 0.71] ab`."""
        return f"{self.figure} {self.letters}".rstrip()


Column = Mapping[str, SystemFigure]
"""The figures of a criterion by system, the best first."""


@dataclass(frozen=True, slots=True)
class SystemFigures:
    """Of a result: its `measure`, `columns` by criterion ("": the only, unnamed one), and what must be read with it."""

    measure: str
    columns: Mapping[str, Column]
    sentences: tuple[str, ...]

    @property
    def systems(self) -> list[str]:
        """In the order of the first criterion, then those that it does not have."""
        return list(dict.fromkeys(name for column in self.columns.values() for name in column))


def system_figures(result: CompareResult | EstimateResult) -> SystemFigures:
    """Win rates, or mean ratings where these were compared or estimated."""
    if isinstance(result, EstimateResult):
        columns = {found.criterion: _means(found.systems) for found in result.results}
        note = _note(MEAN_RATING, result.settings.confidence, columns)
        said = [sentence_on_means(found, result) for found in result.results]
        return SystemFigures(MEAN_RATING, columns, (note, *said))
    found = compared_figures(result.results, result.terms)
    said = [sentence for of in result.results for sentence in (of.sentence, *agreement_sentences(of))]
    return replace(found, sentences=(*found.sentences, *said))


def compared_figures(results: Sequence[CriterionResult], terms: Terms) -> SystemFigures:
    """Those of some criteria of a comparison; their one sentence says what they are."""
    measure = MEAN_RATING if terms.compare == "means" else WIN_RATE
    columns = {found.criterion or "": _compared(found, measure) for found in results}
    unmet = any(_has_unmet(found) for found in results)
    return SystemFigures(measure, columns, (_note(measure, 1 - terms.alpha, columns, letters=True, unmet=unmet),))


def _note(
    measure: str, level: float, columns: Mapping[str, Column], *, letters: bool = False, unmet: bool = False
) -> str:
    intervals = any(figure.low is not None for column in columns.values() for figure in column.values())
    return systems_note(measure, level, intervals=intervals, letters=letters, unmet=unmet)


def _means(systems: Sequence[SystemEstimate]) -> Column:
    found = {one.system: best_of(one) for one in systems}
    figures = {name: SystemFigure(of.estimate, of.low, of.high) for name, of in found.items()}
    return {name: figures[name] for name in _best_first(figures)}


def _compared(found: CriterionResult, measure: str) -> Column:
    """With the letters of the verdicts."""
    if measure == WIN_RATE:
        rates = found.win_rates or win_rates_of(found.pairs)
        figures = {rate.system: SystemFigure(rate.estimate, rate.low, rate.high) for rate in rates}
    else:
        compared = {name for pair in found.pairs for name in (pair.system_a, pair.system_b)}
        figures = {of.system: SystemFigure(of.mean, of.low, of.high) for of in found.ratings if of.system in compared}
    names = _best_first(figures)
    letters = found.order.letters(names)
    return {name: SystemFigure(of.value, of.low, of.high, letters[name]) for name in names for of in (figures[name],)}


def _best_first(figures: Column) -> list[str]:
    def place(name: str) -> tuple[object, ...]:
        value = figures[name].value
        return value is None, -(value or 0.0), natural_key(name)

    return sorted(figures, key=place)


def _has_unmet(found: CriterionResult) -> bool:
    """Whether some two of the systems have no verdict because nobody compared them."""
    systems = {name for pair in found.pairs for name in (pair.system_a, pair.system_b)}
    return len(found.pairs) < len(systems) * (len(systems) - 1) // 2

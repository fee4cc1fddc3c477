"""Systems by criteria, as papers have them: a figure with its interval in each cell, letters from the verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tiebreak.messages.estimates import best_of
from tiebreak.messages.estimates import paper_sentence as sentence_on_means
from tiebreak.messages.tables import systems_note
from tiebreak.numbers import interval, known_number, natural_key, printable
from tiebreak.report.formats.rendering import Contents, PaperTable
from tiebreak.results.estimates import EstimateResult, SystemEstimate
from tiebreak.results.records import CompareResult, CriterionResult
from tiebreak.results.standing import win_rates_of


@dataclass(frozen=True, slots=True)
class _Figure:
    """What a cell says; `letters` are "" where nobody asked for verdicts."""

    value: float | None
    low: float | None = None
    high: float | None = None
    letters: str = ""

    @property
    def text(self) -> str:
        ends = "" if self.low is None or self.high is None else interval(self.low, self.high)
        return " ".join(part for part in (known_number(self.value), ends, self.letters) if part)


Column = Mapping[str, _Figure]
"""The figures of a criterion by system, the best first."""


def systems_contents(result: CompareResult | EstimateResult) -> Contents:
    """One row per system and one column per criterion; the best figure of each is bold."""
    if isinstance(result, EstimateResult):
        measure, level = "mean rating", result.settings.confidence
        columns = {found.criterion: _means(found.systems) for found in result.results}
        sentences = [sentence_on_means(found, result) for found in result.results]
    else:
        measure, level = "mean rating" if result.terms.compare == "means" else "win rate", 1 - result.terms.alpha
        columns = {found.criterion or "": _compared(found, measure) for found in result.results}
        sentences = [found.sentence for found in result.results]
    note = systems_note(
        measure,
        level,
        intervals=any(figure.low is not None for column in columns.values() for figure in column.values()),
        letters=isinstance(result, CompareResult),
        unmet=isinstance(result, CompareResult) and any(_unmet(found) for found in result.results),
    )
    table = _table(columns, measure, (note, *sentences))
    header = ("criterion", "system", "measure", "value", "low", "high", "letters")
    return Contents(header, _rows(columns, measure), [table])


def _means(systems: Sequence[SystemEstimate]) -> Column:
    found = {one.system: best_of(one) for one in systems}
    figures = {name: _Figure(of.estimate, of.low, of.high) for name, of in found.items()}
    return {name: figures[name] for name in _best_first(figures)}


def _compared(found: CriterionResult, measure: str) -> Column:
    """Win rates, or mean ratings, with the letters of the verdicts."""
    if measure == "win rate":
        rates = found.win_rates or win_rates_of(found.pairs)
        figures = {rate.system: _Figure(rate.estimate, rate.low, rate.high) for rate in rates}
    else:
        compared = {name for pair in found.pairs for name in (pair.system_a, pair.system_b)}
        figures = {of.system: _Figure(of.mean) for of in found.ratings if of.system in compared}
    names = _best_first(figures)
    letters = found.order.letters(names)
    return {name: _Figure(of.value, of.low, of.high, letters[name]) for name in names for of in (figures[name],)}


def _best_first(figures: Mapping[str, _Figure]) -> list[str]:
    def place(name: str) -> tuple[object, ...]:
        value = figures[name].value
        return value is None, -(value or 0.0), natural_key(name)

    return sorted(figures, key=place)


def _unmet(found: CriterionResult) -> bool:
    """Whether some two of the systems have no verdict because nobody compared them."""
    systems = {name for pair in found.pairs for name in (pair.system_a, pair.system_b)}
    return len(found.pairs) < len(systems) * (len(systems) - 1) // 2


def _table(columns: Mapping[str, Column], measure: str, sentences: Sequence[str]) -> PaperTable:
    """Systems in the order of the first criterion, then those that it does not have."""
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    heads = [criterion or measure.capitalize() for criterion in columns]
    rows = [["System", *heads]]
    rows += [[name, *(column[name].text if name in column else "-" for column in columns.values())] for name in names]
    bold = {
        (1 + names.index(best), 1 + k)
        for k, column in enumerate(columns.values())
        for best in [*column][:1]
        if column[best].value is not None
    }
    return PaperTable(
        "",
        [[printable(cell) for cell in row] for row in rows],
        "l" * (1 + len(columns)),
        tuple(range(1, 1 + len(columns))),
        tuple(map(printable, sentences)),
        frozenset(bold),
    )


def _rows(columns: Mapping[str, Column], measure: str) -> Iterator[Sequence[object]]:
    for criterion, column in columns.items():
        for name, of in column.items():
            yield criterion or None, name, measure, of.value, of.low, of.high, of.letters or None

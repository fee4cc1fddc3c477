"""What the file of a result holds: verdicts, leaderboards, mean ratings, and the win rates of an audit.

Systems by criteria, as papers have them: a row per system, a column per criterion, the best figure bold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from tiebreak.messages.audit import share_words
from tiebreak.messages.bibliography import sources_of
from tiebreak.messages.estimates import best_first, figures
from tiebreak.messages.estimates import paper_sentence as sentence_on_means
from tiebreak.messages.measured import headline_words, name_of
from tiebreak.messages.ranks import ends_words, place_words
from tiebreak.messages.ranks import paper_sentence as sentence_on_ranks
from tiebreak.messages.verdicts import verdict_words
from tiebreak.numbers import in_percent, interval, known_number, number, points
from tiebreak.report.formats.rendering import Contents, PaperTable
from tiebreak.report.system_figures import Column, SystemFigures, system_figures
from tiebreak.results.annotators import AnnotatorsResult
from tiebreak.results.audits import Audit
from tiebreak.results.estimates import CriterionEstimates, EstimateResult, best_of
from tiebreak.results.measured import MeasuredCriterion, MeasuredResult
from tiebreak.results.ranks import CriterionRanks, RankResult
from tiebreak.results.records import CompareResult
from tiebreak.results.standing import standings

Result = CompareResult | RankResult | EstimateResult | MeasuredResult | Audit | AnnotatorsResult


def contents_of(result: Result) -> Contents:
    """Of a result of any kind."""
    return replace(_CONTENTS[type(result)](result), sources=sources_of(result))


def _verdicts(result: CompareResult) -> Contents:
    """Every field of every pair; for readers the winner first.

    An own analysis of the labels of a campaign, or of a watched study, names it in a column of its own, lest it be
    taken for its verdict.
    """
    terms, currency, tables = result.terms, str(result.study["currency"]), []
    for found in result.results:
        tested = any(pair.p_value is not None for pair in found.pairs)
        heads = ("p", "p adjusted") if tested else ()
        rows: list[Iterable[object]] = [("System A", "System B", "Items", "Labels", "Difference", *heads, "Verdict")]
        for pair in (pair for part in standings(found) for pair in part):
            gap = pair.difference
            difference = f"{known_number(gap.estimate)} {interval(gap.low, gap.high)}"
            levels = (_p(pair.p_value), _p(pair.p_adjusted)) if tested else ()
            words = verdict_words(pair, terms.margin, currency, anew=not terms.going_on)
            counts = (f"{pair.items:,}", f"{pair.labels:,}")
            rows.append((pair.system_a, pair.system_b, *counts, difference, *levels, words))
        columns = f"llrrr{'rr' * tested}l"
        tables.append(PaperTable(found.criterion or "", rows, columns, (4,), (found.sentence,)))
    frame, own = result.pairs, result.own_analysis
    mark = {} if own is None else {"own_analysis_of": own.name}
    return Contents([*frame.columns, *mark], ([*row, *mark.values()] for row in frame.iter_rows()), tables)


def _p(value: float | None) -> str:
    if value is None:
        return "-"
    return "<0.001" if value < 0.001 else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def _leaderboards(result: RankResult) -> Contents:
    """Each with the sentence for a paper, and with what it must not be read without."""
    tables = []
    for found in result.results:
        rows = _leaderboard_rows(found)
        name = rows[0].index("System")
        columns = "r" * name + "l" + "r" * (len(rows[0]) - name - 1)
        said = (sentence_on_ranks(found, result), *(note.text for note in found.notes))
        tables.append(PaperTable(found.criterion or "", rows, columns, (name + 1, name + 2), said))
    return Contents(result.systems.columns, result.systems.iter_rows(), tables)


def _leaderboard_rows(found: CriterionRanks) -> list[Sequence[object]]:
    """Of several groups each row names its own."""
    skills = {one.system: points(one.rating) for one in (found.glicko2.systems if found.glicko2 is not None else ())}
    groups = len(found.davidson.references) > 1
    head = (
        "Place",
        *(["Group"] if groups else []),
        *("System", "Rating", "Interval", "Tier"),
        *(["Glicko-2"] if skills else []),
        "Games",
    )
    rows = (
        (
            place_words(one),
            *([one.group] if groups else []),
            one.system,
            points(one.strength.rating),
            ends_words(one.strength),
            "-" if one.tier is None else one.tier,
            *([skills[one.system]] if skills else []),
            f"{one.games:,}",
        )
        for one in found.davidson.systems
    )
    return [head, *rows]


_MEANS: Final = ("Items", "Ratings", "Mean", "Interval")


def _estimates(result: EstimateResult) -> Contents:
    """Mean ratings, the best first."""
    tables = [_means(found.criterion, _estimated(found), sentence_on_means(found, result)) for found in result.results]
    return Contents(result.systems.columns, result.systems.iter_rows(), tables)


def _measured(result: MeasuredResult) -> Contents:
    """What a campaign of ratings asked for; the sentence stands below the last table."""
    *others, last = result.results
    tables = [
        *(_means(found.criterion, _measured_rows(found), "") for found in others),
        _means(last.criterion, _measured_rows(last), result.sentence or headline_words(result)),
    ]
    frame = result.systems if result.systems.height else result.differences  # a campaign that asked for differences
    return Contents(frame.columns, frame.iter_rows(), tables)


def _means(criterion: str, rows: Iterable[Iterable[object]], sentence: str) -> PaperTable:
    return PaperTable(criterion, rows, "lrrrr", (3, 4), (sentence,) if sentence else ())


def _estimated(found: CriterionEstimates) -> Iterable[Iterable[object]]:
    yield "System", *_MEANS
    for one in best_first(found):
        yield one.system, f"{one.items:,}", f"{one.ratings:,}", *figures(best_of(one))


def _measured_rows(found: MeasuredCriterion) -> Iterable[Iterable[object]]:
    yield "System" if any(len(of.systems) == 1 for of in found.measures) else "Difference", *_MEANS
    for of in sorted(found.measures, key=lambda of: -(of.mean.estimate or 0.0)):
        yield name_of(of), f"{of.items:,}", f"{of.ratings:,}", *figures(of.mean)


def _audit(audit: Audit) -> Contents:
    """Win rates of each source, pair by pair; for readers the winner first."""
    named = any(found.criterion for found in audit.results)
    shown: list[Iterable[object]] = [
        ("Judge or metric", *(["Criterion"] if named else []), "Pair", "Items", "People", "It", "Corrected")
    ]
    rows = []
    for found in audit.results:
        for pair in found.pairs:
            of = pair.outcomes
            ends = [end for of_end in (of.difference, of.corrected) for end in (of_end.value, of_end.low, of_end.high)]
            source = (found.name, found.kind, found.criterion, pair.system_a, pair.system_b)
            counts = (of.items, of.labels, of.judged, of.by_people.value, of.by_source.value)
            rows.append((*source, *counts, *ends))
            told = pair.winner_first()
            shares = [in_percent(of.value or 0.0) for of in (told.outcomes.by_people, told.outcomes.by_source)]
            about = (found.name, *([found.criterion or ""] if named else []), f"{told.system_a} : {told.system_b}")
            shown.append((*about, f"{of.items:,}", *shares, share_words(told.outcomes.corrected)))
    names = 3 if named else 2
    return Contents(_WIN_RATES, rows, [PaperTable("", shown, "l" * names + "rrrr")])


_WIN_RATES: Final = (
    "name", "kind", "criterion", "system_a", "system_b", "items", "labels", "judged", "by_people", "by_source",
    "difference", "difference_low", "difference_high", "corrected", "corrected_low", "corrected_high",
)  # fmt: skip


def _annotators(result: AnnotatorsResult) -> Contents:
    """One row for each person and kind of label."""
    rows: list[Iterable[object]] = [("Annotator", "Labels", "Agreement", "Competence")]
    for of in result.people:
        agreement = known_number(of.correlation)
        if of.agrees is not None:
            low, high = of.agrees.low, of.agrees.high
            ends = "" if low is None or high is None else f" {interval(low, high)}"
            agreement = f"{number(of.agrees.value)}{ends}"
        rows.append((of.annotator, f"{of.labels:,}", agreement, known_number(of.competence)))
    frame = result.table
    return Contents(frame.columns, frame.iter_rows(), [PaperTable("", rows, "lrrr", (2,))])


_CONTENTS: Final[dict[type[Any], Callable[[Any], Contents]]] = {
    CompareResult: _verdicts,
    RankResult: _leaderboards,
    EstimateResult: _estimates,
    MeasuredResult: _measured,
    Audit: _audit,
    AnnotatorsResult: _annotators,
}


_HEADER = ("criterion", "system", "measure", "value", "low", "high", "letters")


def systems_contents(result: CompareResult | EstimateResult) -> Contents:
    """The table for readers, and a row per criterion and system for programs."""
    found = system_figures(result)
    letters = ("piepho2004",) if isinstance(result, CompareResult) else ()
    return Contents(_HEADER, _rows(found), [_table(found)], (*sources_of(result), *letters))


def _table(found: SystemFigures) -> PaperTable:
    names, columns = found.systems, found.columns
    rows = [["System", *(criterion or found.measure.capitalize() for criterion in columns)]]
    rows += [[name, *(column[name].text if name in column else "-" for column in columns.values())] for name in names]
    bold = {(1 + names.index(best), 1 + k) for k, column in enumerate(columns.values()) for best in _best(column)}
    return PaperTable(
        title="",
        rows=rows,
        columns="l" * (1 + len(columns)),
        signed=tuple(range(1, 1 + len(columns))),
        sentences=found.sentences,
        bold=frozenset(bold),
    )


def _best(column: Column) -> list[str]:
    """The systems whose figure reads as high as the highest."""
    first = next(iter(column.values()), None)
    if first is None or first.value is None:
        return []
    return [name for name, of in column.items() if known_number(of.value) == known_number(first.value)]


def _rows(found: SystemFigures) -> Iterator[Sequence[object]]:
    for criterion, column in found.columns.items():
        for name, of in column.items():
            yield criterion or None, name, found.measure, of.value, of.low, of.high, of.letters or None

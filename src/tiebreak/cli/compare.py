"""`tiebreak compare`: the main job.

Its result in the terminal: who is best, what is decided and what to do next; order; pairs; the rest. An evaluation
beside a reference: the totals, then the pairs that differ, worst first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.text import Text

from tiebreak.cli.estimate import show_metric_use
from tiebreak.cli.setting_options import (
    AllOption,
    JsonOption,
    OwnAnalysisOption,
    PlaceArgument,
    StrictOption,
    TableChoice,
    TableOption,
    option,
    with_settings,
)
from tiebreak.cli.terminal import Cell, Name, Terminal, Words, console_for_results, write_json, write_remark
from tiebreak.cli.writing import check_files, write_files
from tiebreak.comparison.against import (
    CriterionAgainst,
    EvaluationComparison,
    PairAgainst,
    Totals,
    evaluate_against,
    load_result,
)
from tiebreak.comparison.condition import condition_from
from tiebreak.kernels.partial_order import ERROR_TYPES, ErrorType
from tiebreak.messages import claims
from tiebreak.messages.headline import message_of
from tiebreak.messages.notices import notes_and_warnings
from tiebreak.messages.verdicts import needed_words, too_few_words
from tiebreak.numbers import counted, in_percent, interval, known_number, listed_names, natural_key, number, some_names
from tiebreak.places import result_at, study_behind
from tiebreak.records import Verdict
from tiebreak.report.document import check_report_path, html
from tiebreak.report.formats import ENDINGS, check_table, write_systems, write_table
from tiebreak.results.records import UNLIKE_VERDICT, CompareResult, CriterionResult, PairResult
from tiebreak.results.settings import CompareSettings
from tiebreak.results.standing import capped, standings
from tiebreak.settings.shared import MORE


@with_settings(CompareSettings)
def compare_command(
    study: PlaceArgument,
    settings: CompareSettings,
    against: Annotated[Path | None, option("Count errors against a saved --json.", "RESULT.json", panel=MORE)] = None,
    own_analysis: OwnAnalysisOption = False,
    strict: StrictOption = False,
    everything: AllOption = False,
    fail_unless: Annotated[
        list[str] | None, option("Exit with 3 unless A is better ('A >= B': or equivalent); repeatable.", "'A > B'")
    ] = None,
    as_json: JsonOption = False,
    out: Annotated[Path | None, option(f"Also write the table: {ENDINGS}.", "FILE")] = None,
    table: TableOption = TableChoice.all,
    report: Annotated[Path | None, option("Also write the report with pictures: .html.", "FILE")] = None,
) -> None:
    """Decide which system is better, for every pair, from human labels, and metrics if you name them.

    The verdicts are for one look at a finished set of labels. Per pair: a verdict in words, the difference P(A
    preferred) - P(B preferred) with its interval, the labels used, or about how many more are needed. Of a campaign or
    its export: the campaign's own verdict.

    Example: tiebreak compare my-study --margin 0.1 --out verdicts.md
    """
    conditions = [condition_from(text) for text in fail_unless or ()]
    check_files(study, (out, check_table), (report, check_report_path))
    reference = None if against is None else load_result(against)
    result = result_at(study, settings, own_analysis=own_analysis, strict=strict)
    unmet = {str(condition): why for condition in conditions if (why := condition.unmet(result))}
    write = write_systems if table == TableChoice.systems else write_table
    write_files((out, partial(write, result)), (report, lambda path: html(result, path, study_behind(study))))
    comparison = None if reference is None else evaluate_against(result, reference, reference_name=str(against))
    if as_json:
        document = result.to_dict() | ({} if comparison is None else {"against": comparison.to_dict()})
        write_json(document | ({"unmet": unmet} if conditions else {}))
    else:
        console = console_for_results()
        show_comparison(result, console, everything=everything)
        if comparison is not None:
            show_against(comparison, console)
    for condition, why in unmet.items():
        write_remark(f"Not shown: {condition} ({'; '.join(why)})")
    if unmet:
        raise typer.Exit(3)


_ROWS: Final = 15
_ROWS_OF_SEVERAL: Final = 4  # of each criterion, where there are several
_STYLE: Final = {">": "bold green", "=": "cyan", "?": "dim"}


def show_comparison(result: CompareResult, console: Terminal, *, everything: bool = False) -> None:
    """Print the result.

    `everything`: all pairs, all figures and the sentences for a paper; else the pairs with a verdict and those nearest
    to one, and what is needed to read them.
    """
    several = len(result.results) > 1
    if not result.terms.human:
        console.say("No human labels: what metrics alone would say, for comparison only.", style="bold red")
    for found in result.results:
        _show_message(found, result, console)
    if standing := claims.standing_of(result):
        console.say(standing)
    notes, warnings = notes_and_warnings(result.warnings)
    console.say_each((note.text for note in notes), style="yellow")
    most = None if everything else _ROWS_OF_SEVERAL if several else _ROWS
    for found in result.results:
        if several:
            console.heading(found.criterion or "(no criterion)", "bold underline")
        show_order(found, console)
        show_pairs(found, result, console, most)
    if result.terms.human and several:
        console.say()
        _show_people_of_several(result, console)
    if any(pair.metric for found in result.results for pair in found.pairs):
        console.say()
    for found in result.results:
        show_metric_use(found, console, everything=everything)
    facts, sentences = _facts(result, everything=everything), (found.sentence for found in result.results)
    console.closing(facts, warnings, sentences, everything=everything)


def _show_message(found: CriterionResult, result: CompareResult, console: Terminal) -> None:
    message = message_of(found, result.terms, _currency(result), result.campaign, result.own_analysis, result.watch)
    subject = found.criterion or result.study["name"]
    console.say(Text.assemble((f"{subject}: {message.headline}.", "bold"), f" {message.detail}"))
    if found.pairs:
        console.say(message.decided)
    console.say(Text.assemble(("Next: ", "bold"), message.next_step))


def show_order(found: CriterionResult, console: Terminal) -> None:
    """The tiers, best first, and contradictions; nothing of two systems."""
    if found.order.edges and sum(len(tier) for tier in found.order.tiers) > 2:
        tiers = (listed_names(sorted(tier, key=natural_key)) for tier in found.order.tiers)
        console.fact("Order", "  ".join(f"{rank}. {names}" for rank, names in enumerate(tiers, 1)))
    for cycle in found.order.cycles:
        console.say(Text.assemble(("Cycle: ", "yellow"), claims.cycle_words(cycle)))


def show_pairs(found: CriterionResult, result: CompareResult, console: Terminal, most: int | None = None) -> None:
    """Decided pairs, then undecided ones, `most` in all, None: all."""
    if not found.pairs:
        return
    decided, undecided = standings(found)
    shown = [pair for part in capped(decided, undecided, most) for pair in part]
    console.say()
    by_posterior = all(pair.mean_p is not None for pair in shown)  # which knows nothing of further labels
    chance = " (80%)" if any(pair.items_to_decision for pair in shown) else ""
    figures = ("Difference", "Interval", "P(better)", "Items", "Labels", "After", "Within margin")
    columns = [Name("Pair"), *figures, Words("Why" if by_posterior else f"To a verdict{chance}")]
    console.table(columns, [_cells(pair, result) for pair in shown], rule=len(result.results) == 1)
    if few := too_few_words(shown):
        console.say(f"Difference -: {few} for an estimate.", style="dim")
    if hidden := len(found.pairs) - len(shown):
        console.say(f"... and {counted(hidden, 'more pair')}", style="dim")


def _cells(pair: PairResult, result: CompareResult) -> tuple[Text | str | int, ...]:
    """Of a pair with the winner first."""
    gap, is_open = pair.difference, pair.verdict == "undecided"
    outlook = ""
    if is_open and (result.terms.going_on or pair.mean_p is not None):
        outlook = needed_words(pair, _currency(result))
    return (
        Text(f"{pair.system_a} {pair.sign} {pair.system_b}", style=_STYLE[pair.sign]),
        known_number(gap.estimate),
        interval(gap.low, gap.high),
        "" if pair.theta is None else number(pair.theta, 3),
        pair.items,
        pair.labels,
        "" if pair.stopped_at is None or is_open else pair.stopped_at,
        _within_margin(pair),
        outlook,
    )


def _within_margin(pair: PairResult) -> str:
    """The interval that shows equivalence, where the rule has one."""
    if "equivalent" not in (pair.verdict, pair.also):
        return ""
    return "yes" if pair.equivalence_interval is None else interval(*pair.equivalence_interval)


def _facts(result: CompareResult, *, everything: bool) -> Iterable[tuple[str, str]]:
    """What is needed to read the verdicts; `everything`: and all that there is to say."""
    terms = result.terms
    pairs = [pair for found in result.results for pair in found.pairs]
    if everything:
        yield "Compared", f"{result.study['name']}, {claims.sizes_words(result)}"
    yield "Rule", claims.rule_words(terms, pairs)
    promise = str(terms.guarantee) if everything else terms.guarantee.in_short
    yield "Verdicts", f"about {claims.claim_words(terms)}{_by_people(result)}. They {promise}."
    if everything or any(flag in pair.flags for pair in pairs for flag in UNLIKE_VERDICT):
        yield "Intervals", claims.interval_words(pairs, terms)
    if everything:
        yield "Difference", f"{claims.difference_words(terms)} of a pair A > B, A = B or A ? B"
        if identical := sum(pair.identical for pair in pairs):
            yield "Identical outputs", f"{counted(identical, 'comparison')}, which count as ties without asking."
    if clusters := claims.clusters_words(pairs):
        yield "Clusters", f"the items of a pair are in {clusters}; each is one unit of evidence."
    if terms.human and len(result.results) == 1:
        (found,) = result.results
        if everything or result.watch is not None or result.campaign is not None:
            yield "Labels", claims.labels_words(found, watched=result.watch is not None)
        for kind in found.agreement:
            if everything or kind.known:
                yield from claims.agreement_rows(kind, brief=not everything)
    several = len(result.results) > 1
    for found in result.results if everything or not several else ():
        if found.advice and terms.people == "fixed":  # else it stands above
            about = f" ({found.criterion or 'no criterion'})" if several else ""
            yield f"Undecided pairs{about}", " ".join(found.advice)


def _by_people(result: CompareResult) -> str:
    """Whose answers the verdicts are about: other people may answer otherwise."""
    people = {name for found in result.results for name in found.annotators}
    if result.terms.people == "random":
        return f" ({counted(len(people), 'annotator')})"
    return f", by these {len(people):,} annotators" if len(people) > 1 else ", by this annotator" if people else ""


def _show_people_of_several(result: CompareResult, console: Terminal) -> None:
    """Labels and agreement on each criterion."""
    agreement = [
        dict(row for kind in found.agreement for row in claims.agreement_rows(kind, brief=True))
        for found in result.results
    ]
    kinds = list(dict.fromkeys(name for rows in agreement for name in rows))
    watched = any(found.labels < claims.labels_seen(found) for found in result.results)
    labels = ["In evidence", "Labels seen"] if watched else ["Labels"]
    columns = [Name("Criterion"), *labels, "Annotators", *kinds]
    cells: list[tuple[str | int, ...]] = []
    for found, rows in zip(result.results, agreement, strict=True):
        counts = (found.labels, *([claims.labels_seen(found)] if watched else []), len(found.annotators))
        cells.append((found.criterion or "(no criterion)", *counts, *(rows.get(name, "") for name in kinds)))
    console.table(columns, cells, rule=False)


def _currency(result: CompareResult) -> str:
    return str(result.study["currency"])


_PAIRS_SHOWN: Final = 20
_NAMES_SHOWN: Final = 6
_WORST_FIRST: Final[dict[ErrorType, str]] = {"inversion": "bold red", "omission": "blue", "insertion": "yellow"}
_MEANING: Final = (
    "Inversion: the other system is called better. Omission: a difference that the reference has is missed. "
    "Insertion: a difference that the reference does not have. Equivalent and undecided count alike."
)


def show_against(comparison: EvaluationComparison, console: Terminal) -> None:
    """Print the comparison."""
    where = "" if comparison.study == comparison.reference_study else f" of {comparison.reference_study}"
    console.heading(f"Against the reference{where}")
    if not comparison.same_labels:
        console.say("The reference rests on other human labels than this evaluation.", style="dim")
    for name, here, there in comparison.terms_that_differ:
        console.say(f"{name}: here {_setting(here)}, reference {_setting(there)}", style="dim")
    columns = [Name("Criterion"), "pairs", *ERROR_TYPES, "mean KLD", "labels used"]
    rows = [(_criterion(found.criterion), *_totals_cells(found.totals)) for found in comparison.criteria]
    if len(comparison.criteria) > 1:
        rows.append(("all", *_totals_cells(comparison.totals)))
    console.table(columns, rows)
    console.say(_MEANING, style="dim")
    named = len(comparison.criteria) > 1
    for found in comparison.criteria:
        _show_errors(found, console, named)
    for found in comparison.criteria:
        about = f" ({_criterion(found.criterion)})" if named else ""
        _list(console, f"Pairs only here{about}", [" - ".join(pair) for pair in found.only_evaluation])
        _list(console, f"Pairs only in the reference{about}", [" - ".join(pair) for pair in found.only_reference])
    _list(console, "Criteria only here", [_criterion(name) for name in comparison.criteria_only_evaluation])
    _list(console, "Criteria only in the reference", [_criterion(name) for name in comparison.criteria_only_reference])


def _totals_cells(totals: Totals) -> list[Cell]:
    cells: list[Cell] = [totals.pairs]
    for error in ERROR_TYPES:
        share = totals.share(error)
        cells.append("-" if share is None else f"{totals.count(error):,} ({number(share)})")
    cells.append(_kld(totals.mean_kld))
    used = totals.labels_share
    cells.append("-" if used is None else in_percent(used))
    return cells


def _show_errors(found: CriterionAgainst, console: Terminal, named: bool) -> None:
    wrong = sorted(
        (pair for pair in found.pairs if pair.error != "correct"),
        key=lambda pair: ([*_WORST_FIRST].index(pair.error), -(pair.kld or 0.0)),
    )
    about = f" on {_criterion(found.criterion)}" if named else ""
    console.say()
    if not found.pairs:
        console.say(f"No pair in common{about}.")
        return
    if not wrong:
        console.say(f"No verdict differs from the reference{about}.")
        return
    console.say(f"Verdicts that differ from the reference{about}:")
    columns = [Name("Pair"), Words("here"), Words("reference"), Words("error"), "KLD"]
    rows = [
        (
            f"{pair.system_a}, {pair.system_b}",
            _verdict(pair, pair.verdict),
            _verdict(pair, pair.reference_verdict),
            Text(pair.error, style=_WORST_FIRST[pair.error]),
            _kld(pair.kld),
        )
        for pair in wrong
    ]
    console.table(columns, rows, most=_PAIRS_SHOWN, rest="--json")


def _list(console: Terminal, title: str, names: Sequence[str]) -> None:
    """`title, count: first names`, or nothing without names."""
    if names:
        console.say(f"{title}, {len(names):,}, left out: {some_names(names, _NAMES_SHOWN)}", style="yellow")


def _verdict(pair: PairAgainst, verdict: Verdict) -> str:
    return {"a": f"{pair.system_a} is better", "b": f"{pair.system_b} is better"}.get(verdict, verdict)


def _kld(value: float | None) -> str:
    return "-" if value is None else number(value, 3)


def _criterion(name: str | None) -> str:
    return "(unnamed)" if name is None else name


def _setting(value: object) -> str:
    if isinstance(value, list):
        return listed_names(str(part) for part in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)

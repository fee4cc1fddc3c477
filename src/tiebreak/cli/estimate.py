"""`tiebreak estimate`: mean ratings with intervals, and what metrics save.

Its result in the terminal: means, differences, what ratings vary by and what metrics save; what a campaign of ratings
has found out; what metrics and judges did for a comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Final

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
from tiebreak.cli.terminal import Cell, Name, Terminal, Words, console_for_results, write_json
from tiebreak.cli.writing import check_files, check_table_or_page, is_page, print_result, write_files
from tiebreak.errors import UsageError
from tiebreak.files import write_bytes
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.messages import estimates as messages
from tiebreak.messages.measured import headline_words, helped_words, name_of, need_words, question_words
from tiebreak.messages.metric_use import OUTCOMES, metrics_of_criterion, order_words
from tiebreak.messages.notices import notes_and_warnings
from tiebreak.messages.ranks import p_words
from tiebreak.numbers import counted, known_number, listed_names, natural_key, number, plain
from tiebreak.places.estimates import campaign_estimates_at, estimate_at
from tiebreak.places.pictures import page_of_estimates, points_of
from tiebreak.report.estimate_page import shortened
from tiebreak.report.formats import PAGE_ENDINGS, write_systems, write_table
from tiebreak.results.estimates import CriterionEstimates, EstimateResult, MetricPoints, best_of
from tiebreak.results.measured import MeasuredCriterion, MeasuredResult
from tiebreak.results.records import CriterionResult
from tiebreak.results.settings import EstimateSettings


@with_settings(EstimateSettings)
def estimate_command(
    study: PlaceArgument,
    settings: EstimateSettings,
    own_analysis: OwnAnalysisOption = False,
    strict: StrictOption = False,
    everything: AllOption = False,
    as_json: JsonOption = False,
    out: Annotated[
        Path | None,
        option(f"Also write the means: {PAGE_ENDINGS}, the last a page with pictures and outputs to read.", "FILE"),
    ] = None,
    table: TableOption = TableChoice.all,
    examples: Annotated[
        bool, option("Show outputs on which people and metrics agree or differ most.", "", "--examples")
    ] = False,
) -> None:
    """Estimate the mean rating of every system, with intervals, from few ratings and free metrics.

    Per system and criterion: the mean rating, alone and with the metrics that you name (control variates); differences
    between systems, item by item; what ratings vary by; how many ratings each metric saves, and what no metric could.

    Example: tiebreak estimate my-study --metric bleu
    """
    check_files(study, (out, check_table_or_page))
    own = None if own_analysis else campaign_estimates_at(study)
    if own is not None:  # by the protocol of the campaign
        if settings != EstimateSettings() or examples or table != TableChoice.all or is_page(out):
            raise UsageError(
                f"{study} is a campaign of ratings, whose estimates go by its own protocol: leave out other options, "
                "or add --own-analysis to analyse its labels afresh"
            )
        write_files((out, partial(write_table, own)))
        print_result(own, show_measured, as_json=as_json)
        return
    result = estimate_at(study, settings, own_analysis=own_analysis, strict=strict)
    if is_page(out):
        write_files((out, lambda path: write_bytes(path, page_of_estimates(study, result).encode())))
    else:
        write_files((out, partial(write_systems if table == TableChoice.systems else write_table, result)))
    points = points_of(study, result) if examples else ()
    if as_json:
        write_json(result.to_dict() | ({"examples": [of.to_dict() for of in points]} if examples else {}))
        return
    console = console_for_results()
    show_estimates(result, console, everything=everything)
    if examples:
        show_examples(points, console)


_ROWS: Final = 20
_FEW: Final = 5


def show_estimates(result: EstimateResult, console: Terminal, *, everything: bool = False) -> None:
    """Print the result; `everything`: all rows of all tables."""
    if result.own_analysis is not None:
        console.say(f"Own analysis: {result.own_analysis}.", style="yellow")
    notes, warnings = notes_and_warnings(result.warnings)
    console.say_each((note.text for note in notes), style="yellow")
    for found in result.results:
        console.heading(f"{found.criterion}: {messages.counts_words(found)}", "bold underline")
        console.say(f"({messages.scale_words(found)})", style="dim")
        _show_means(found, result, console, everything=everything)
        _show_differences(found, console, everything=everything)
        _show_metrics(found, result, console, everything=everything)
    facts = messages.settings_words(result, result.settings.target)
    sentences = (messages.paper_sentence(found, result) for found in result.results)
    console.closing(facts, warnings, sentences, everything=everything, brief=("Intervals", "Clusters"))


def _show_means(found: CriterionEstimates, result: EstimateResult, console: Terminal, *, everything: bool) -> None:
    """Best first, by the estimate with metrics where they helped any system."""
    helped = any(one.help is not None and one.help.metrics for one in found.systems)
    with_help = ("With metrics", "Interval") if helped else ()
    columns = [Name("System"), "Mean", "Interval", *with_help, "Items", "Ratings"]
    rows = []
    for one in messages.best_first(found):
        of_metrics = (
            messages.figures(best_of(one)) if helped and one.help is not None and one.help.metrics else ("-", "-")
        )
        rows.append((one.system, *messages.figures(one.mean), *(of_metrics if helped else ()), one.items, one.ratings))
    console.table(columns, rows, most=None if everything else _ROWS)
    console.say_each(messages.remarks_on_means(found, tuple(result.settings.metrics)))


def _show_differences(found: CriterionEstimates, console: Terminal, *, everything: bool) -> None:
    if not found.differences:
        return
    console.say()
    helped = any(one.help is not None and one.help.metrics for one in found.differences)
    rows = []
    for one in sorted(found.differences, key=lambda one: -abs(best_of(one).estimate or 0)):
        best = best_of(one)
        ahead = (best.estimate or 0.0) >= 0
        first, second = (one.system_a, one.system_b) if ahead else (one.system_b, one.system_a)
        rows.append((f"{first} - {second}", *messages.figures(best if ahead else _turned(best)), one.items))
    columns = [Name("Difference"), "With metrics" if helped else "Mean", "Interval", "Items"]
    console.table(columns, rows, most=None if everything else _FEW)


def _show_metrics(found: CriterionEstimates, result: EstimateResult, console: Terminal, *, everything: bool) -> None:
    console.say()
    console.say(messages.variance_words(found))
    if everything and (what_ifs := messages.what_if_words(found, tuple(result.settings.metrics))):
        console.say(what_ifs)
    if not found.efficiencies:
        return
    correlations = dict(found.correlations)
    asked = set(result.settings.metrics)
    ranked = sorted(
        found.efficiencies,
        key=lambda one: (
            one.metric not in asked,
            -(one.efficiency.population.estimate or 0.0),
            natural_key(one.metric),
        ),
    )
    rows = []
    for one in ranked:
        of = correlations[one.metric]
        why, population = one.efficiency.reason, one.efficiency.population
        saves = messages.WHY_NO_EFFICIENCY[why] if why else messages.share_words(messages.saved_share(population))
        figures = (known_number(kind.estimate) for kind in (of.within, of.instances, of.systems))
        rows.append((one.metric, saves, *figures))
    columns = [Name("Metric"), "Saves", "Correlation within systems", "over outputs", "between systems"]
    console.table(columns, rows, most=None if everything else max(_FEW, len(asked)))
    if everything:
        _show_as_in_papers(found, console)
    if everything and (paying := messages.paying_words(ranked)):
        console.say(paying)


def _show_as_in_papers(found: CriterionEstimates, console: Terminal) -> None:
    """Tables 1 and 2 of learning-to-compare: every metric over outputs, and over the means of systems."""
    levels = {
        "Outputs": [(metric, of.of_outputs) for metric, of in found.correlations],
        "Systems": [(metric, of.of_systems) for metric, of in found.correlations],
    }
    for level, correlations in levels.items():
        console.heading(f"Correlation with the mean rating over {level.lower()} (p takes them for independent)")
        rows = [
            (metric, of.points, _with_p(of.spearman, of.spearman_p), _with_p(of.pearson, of.pearson_p))
            for metric, of in correlations
        ]
        console.table([Name("Metric"), level, "Spearman", "Pearson"], rows)
    console.say()


def _with_p(correlation: float | None, p_value: float | None) -> str:
    p = "" if p_value is None else f" ({p_words(p_value)})"
    return "-" if correlation is None else f"{number(correlation, 3)}{p}"


def _turned(of: IntervalEstimate) -> IntervalEstimate:
    low, middle, high = (None if end is None else -end for end in (of.high, of.estimate, of.low))
    return IntervalEstimate(middle, low, high)


def show_examples(found: Sequence[MetricPoints], console: Terminal) -> None:
    """Of each metric the four quadrants, with outputs to read."""
    if not found:
        console.say("No rated output has a score, so that there are no outputs to show.")
    for of in found:
        console.heading(f"{of.criterion}: people and {of.label}")
        for quadrant in of.quadrants:
            console.say(f"{quadrant.words}: {counted(quadrant.count, 'output')}", indent=2)
            for one in quadrant.examples:
                values = f"people {number(one.human)}, {of.metric} {number(one.metric)}"
                text = shortened(one.text) or "(no text)"
                console.say(f"{one.output} ({values}): {text}", style="dim", indent=4, hanging=2)


def show_measured(result: MeasuredResult, console: Terminal) -> None:
    """Print headline, tables, what intervals promise, warnings, and the sentence for a paper."""
    console.say(f"{question_words(result)}.")
    console.say(headline_words(result))
    show_measures(result, console)
    console.warnings(result.warnings)
    if result.sentence:
        console.heading("For the paper")
        console.say(result.sentence, indent=2)


def show_measures(result: MeasuredResult, console: Terminal) -> None:
    """The tables, and what intervals promise."""
    for found in result.results:
        low, high = found.scale
        console.heading(f"{found.criterion} ({plain(low)} to {plain(high)})", "bold underline")
        _show_table(found, console)
    console.say()
    console.say(f"Intervals{helped_words(result)} {result.guarantee}.", style="dim")


def _show_table(found: MeasuredCriterion, console: Terminal) -> None:
    what = "System" if any(len(of.systems) == 1 for of in found.measures) else "Difference"
    columns = [Name(what), "Mean", "Interval", "±", "Items", "Ratings", Words("Needs")]
    ranked = sorted(found.measures, key=lambda of: -(of.mean.estimate if of.mean.estimate is not None else -1e300))
    rows = [
        (
            name_of(of),
            *messages.figures(of.mean),
            "-" if of.half_width is None else number(of.half_width),
            of.items,
            of.ratings,
            need_words(of),
        )
        for of in ranked
    ]
    console.table(columns, rows)
    if found.systems:
        means = [f"{of.system} {known_number(of.estimate)} ({of.items:,})" for of in found.systems]
        console.say(f"Mean ratings so far, without intervals (items): {', '.join(means)}.", style="dim")


def show_confusion(confusion: Sequence[Sequence[int]], console: Terminal, recall: Sequence[str] = ()) -> None:
    """What metrics and judges say against what people say; `recall`: how often it agrees with each of these."""
    columns = [Name("It says"), *(f"people: {outcome}" for outcome in OUTCOMES)]
    rows: list[tuple[Cell, ...]] = [(outcome, *row) for outcome, row in zip(OUTCOMES, confusion, strict=True)]
    if recall:
        rows.append(("it agrees on", *recall))
    console.table(columns, rows, indent=2)


def show_metric_use(found: CriterionResult, console: Terminal, *, everything: bool = False) -> None:
    """Agreement with people, what was saved and, with `everything`, the confusion over all pairs; nothing without
    metrics."""
    for summary in metrics_of_criterion(found.pairs):
        console.fact(listed_names(summary.names), " ".join(summary.sentences))
        if everything and any(map(sum, summary.confusion)):
            show_confusion(summary.confusion, console)
    console.say_each(map(order_words, found.judges), hanging=2)

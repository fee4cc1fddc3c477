"""`tiebreak estimate`: mean ratings with intervals, and what metrics save.

Its result in the terminal: means, differences, what ratings vary by and what metrics save; what a campaign of ratings
has found out; what metrics and judges did for a comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

from rich.console import Console
from rich.text import Text

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
from tiebreak.cli.terminal import (
    Name,
    Words,
    bullets,
    console_for_results,
    heading,
    say,
    show_closing,
    show_table,
    write_json,
    write_remark,
)
from tiebreak.errors import UsageError
from tiebreak.files import check_place, refuse_inside, write_bytes
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.messages.estimates import (
    WHY_NO_EFFICIENCY,
    best_first,
    counts_words,
    paper_sentence,
    paying_words,
    remarks_on_means,
    saved_share,
    scale_words,
    settings_words,
    share_words,
    variance_words,
    what_if_words,
)
from tiebreak.messages.measured import headline_words, helped_words, name_of, need_words, question_words
from tiebreak.messages.metric_use import OUTCOMES, metrics_of_criterion, order_words
from tiebreak.messages.notices import notes_and_warnings
from tiebreak.messages.ranks import p_words
from tiebreak.numbers import counted, interval, known_number, listed_names, natural_key, number, plain
from tiebreak.places.estimates import campaign_estimates_at, estimate_at
from tiebreak.places.pictures import page_of_estimates, points_of
from tiebreak.report.estimate_page import shortened
from tiebreak.report.formats import PAGE_ENDINGS, check_table, write_systems, write_table
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
    page = out is not None and _is_page(out)
    if out is not None:
        check_place(out) if page else check_table(out, PAGE_ENDINGS)
        refuse_inside(study, out)
    own = None if own_analysis else campaign_estimates_at(study)
    if own is not None:
        _show_campaign(own, study, settings, out, table, examples=examples, as_json=as_json)
        return
    result = estimate_at(study, settings, own_analysis=own_analysis, strict=strict)
    if out is not None:
        if page:
            write_bytes(out, page_of_estimates(study, result).encode())
        else:
            (write_systems if table == TableChoice.systems else write_table)(result, out)
        write_remark(f"Wrote {out}")
    points = points_of(study, result) if examples else ()
    if as_json:
        write_json(result.to_dict() | ({"examples": [of.to_dict() for of in points]} if examples else {}))
        return
    show_estimates(result, everything=everything)
    if examples:
        show_examples(points)


def _show_campaign(
    own: MeasuredResult,
    path: Path,
    settings: EstimateSettings,
    out: Path | None,
    table: TableChoice,
    *,
    examples: bool,
    as_json: bool,
) -> None:
    """The estimates of a campaign go by its own protocol."""
    if settings != EstimateSettings() or examples or table != TableChoice.all or (out is not None and _is_page(out)):
        raise UsageError(
            f"{path} is a campaign of ratings, whose estimates go by its own protocol: leave out other options, or add "
            "--own-analysis to analyse its labels afresh"
        )
    if out is not None:
        write_table(own, out)
        write_remark(f"Wrote {out}")
    if as_json:
        write_json(own.to_dict())
    else:
        show_measured(own)


def _is_page(out: Path) -> bool:
    return out.suffix.lower() in (".html", ".htm")


_ROWS: Final = 20
_FEW: Final = 5


def show_estimates(result: EstimateResult, console: Console | None = None, *, everything: bool = False) -> None:
    """Print the result to `console` (default: standard output); `everything`: all rows of all tables."""
    console = console_for_results() if console is None else console
    if result.own_analysis is not None:
        say(console, f"Own analysis: {result.own_analysis}.", style="yellow")
    notes, warnings = notes_and_warnings(result.warnings)
    for note in notes:
        say(console, note.text, style="yellow")
    for found in result.results:
        heading(console, f"{found.criterion}: {counts_words(found)}", "bold underline")
        say(console, f"({scale_words(found)})", style="dim")
        _show_means(found, result, console, everything=everything)
        _show_differences(found, console, everything=everything)
        _show_metrics(found, result, console, everything=everything)
    facts = settings_words(result, result.settings.target)
    if not everything:
        facts = [fact for fact in facts if fact[0] in ("Intervals", "Clusters")]
    sentences = (paper_sentence(found, result) for found in result.results)
    show_closing(console, facts, (warning.text for warning in warnings), sentences, everything=everything)


def _show_means(found: CriterionEstimates, result: EstimateResult, console: Console, *, everything: bool) -> None:
    """Best first, by the estimate with metrics where they helped any system."""
    helped = any(one.help is not None and one.help.metrics for one in found.systems)
    with_help = ("With metrics", "Interval") if helped else ()
    columns = [Name("System"), "Mean", "Interval", *with_help, "Items", "Ratings"]
    rows = []
    for one in best_first(found):
        of_metrics = _cells(best_of(one)) if helped and one.help is not None and one.help.metrics else ("-", "-")
        rows.append((one.system, *_cells(one.mean), *(of_metrics if helped else ()), one.items, one.ratings))
    show_table(console, columns, rows, most=None if everything else _ROWS)
    for told in remarks_on_means(found, tuple(result.settings.metrics)):
        say(console, told)


def _show_differences(found: CriterionEstimates, console: Console, *, everything: bool) -> None:
    if not found.differences:
        return
    say(console)
    largest = sorted(
        found.differences, key=lambda one: -abs((one.mean if one.help is None else one.help.mean).estimate or 0)
    )
    helped = any(one.help is not None and one.help.metrics for one in largest)
    rows = []
    for one in largest:
        best = one.mean if one.help is None else one.help.mean
        ahead = (best.estimate or 0.0) >= 0
        first, second = (one.system_a, one.system_b) if ahead else (one.system_b, one.system_a)
        rows.append((f"{first} - {second}", *_cells(best if ahead else _turned(best)), one.items))
    columns = [Name("Difference"), "With metrics" if helped else "Mean", "Interval", "Items"]
    show_table(console, columns, rows, most=None if everything else _FEW)


def _show_metrics(found: CriterionEstimates, result: EstimateResult, console: Console, *, everything: bool) -> None:
    say(console)
    say(console, variance_words(found))
    if everything and (what_ifs := what_if_words(found, tuple(result.settings.metrics))):
        say(console, what_ifs)
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
        saves = (
            share_words(saved_share(one.efficiency.population))
            if one.efficiency.reason is None
            else WHY_NO_EFFICIENCY[one.efficiency.reason]
        )
        figures = (known_number(kind.estimate) for kind in (of.within, of.instances, of.systems))
        rows.append((one.metric, saves, *figures))
    columns = [Name("Metric"), "Saves", "Correlation within systems", "over outputs", "between systems"]
    show_table(console, columns, rows, most=None if everything else max(_FEW, len(asked)))
    if everything:
        _show_as_in_papers(found, console)
    if everything and (paying := paying_words(ranked)):
        say(console, paying)


def _show_as_in_papers(found: CriterionEstimates, console: Console) -> None:
    """Tables 1 and 2 of learning-to-compare: every metric over outputs, and over the means of systems."""
    by_metric = dict(found.correlations)
    levels = {
        "Outputs": [of.of_outputs for of in by_metric.values()],
        "Systems": [of.of_systems for of in by_metric.values()],
    }
    for level, correlations in levels.items():
        heading(console, f"Correlation with the mean rating over {level.lower()} (p takes them for independent)")
        rows = [
            (metric, of.points, _with_p(of.spearman, of.spearman_p), _with_p(of.pearson, of.pearson_p))
            for metric, of in zip(by_metric, correlations, strict=True)
        ]
        show_table(console, [Name("Metric"), level, "Spearman", "Pearson"], rows)
    say(console)


def _with_p(correlation: float | None, p_value: float | None) -> str:
    p = "" if p_value is None else f" ({p_words(p_value)})"
    return "-" if correlation is None else f"{number(correlation, 3)}{p}"


def _turned(of: IntervalEstimate) -> IntervalEstimate:
    low, middle, high = (None if end is None else -end for end in (of.high, of.estimate, of.low))
    return IntervalEstimate(middle, low, high)


def _cells(of: IntervalEstimate) -> tuple[str, str]:
    ends = "-" if of.low is None or of.high is None else interval(of.low, of.high)
    return known_number(of.estimate), ends


def show_examples(found: Sequence[MetricPoints]) -> None:
    """Of each metric the four quadrants, with outputs to read."""
    console = console_for_results()
    if not found:
        say(console, "No rated output has a score, so that there are no outputs to show.")
    for of in found:
        heading(console, f"{of.criterion}: people and {of.label}")
        for quadrant in of.quadrants:
            say(console, f"{quadrant.words}: {counted(quadrant.count, 'output')}", indent=2)
            for one in quadrant.examples:
                values = f"people {number(one.human)}, {of.metric} {number(one.metric)}"
                text = shortened(one.text) or "(no text)"
                say(console, f"{one.output} ({values}): {text}", style="dim", indent=4, hanging=2)


def show_measured(result: MeasuredResult, console: Console | None = None) -> None:
    """Print headline, tables, what intervals promise, warnings, and the sentence for a paper."""
    console = console_for_results() if console is None else console
    say(console, f"{question_words(result)}.")
    say(console, headline_words(result))
    show_measures(result, console)
    if result.warnings:
        heading(console, "Warnings", "bold yellow")
        bullets(console, [warning.text for warning in result.warnings])
    if result.sentence:
        heading(console, "For the paper")
        say(console, result.sentence, indent=2)


def show_measures(result: MeasuredResult, console: Console) -> None:
    """The tables, and what intervals promise."""
    for found in result.results:
        low, high = found.scale
        heading(console, f"{found.criterion} ({plain(low)} to {plain(high)})", "bold underline")
        _show_table(found, console)
    say(console)
    say(console, f"Intervals{helped_words(result)} {result.guarantee}.", style="dim")


def _show_table(found: MeasuredCriterion, console: Console) -> None:
    what = "System" if any(len(of.systems) == 1 for of in found.measures) else "Difference"
    columns = [Name(what), "Mean", "Interval", "±", "Items", "Ratings", Words("Needs")]
    ranked = sorted(found.measures, key=lambda of: -(of.mean.estimate if of.mean.estimate is not None else -1e300))
    rows = [
        (
            name_of(of),
            *_cells(of.mean),
            "-" if of.half_width is None else number(of.half_width),
            of.items,
            of.ratings,
            need_words(of),
        )
        for of in ranked
    ]
    show_table(console, columns, rows)
    if found.systems:
        means = [f"{of.system} {known_number(of.estimate)} ({of.items:,})" for of in found.systems]
        say(console, f"Mean ratings so far, without intervals (items): {', '.join(means)}.", style="dim")


def show_metric_use(found: CriterionResult, console: Console, *, everything: bool = False) -> None:
    """Agreement with people, what was saved and, with `everything`, the confusion over all pairs; nothing without
    metrics."""
    for summary in metrics_of_criterion(found.pairs):
        told = Text.assemble((f"{listed_names(summary.names)}: ", "bold"), " ".join(summary.sentences))
        say(console, told, hanging=2)
        if everything and any(map(sum, summary.confusion)):
            columns = [Name("It says"), *(f"people: {outcome}" for outcome in OUTCOMES)]
            rows: list[tuple[str | int, ...]] = [
                (outcome, *row) for outcome, row in zip(OUTCOMES, summary.confusion, strict=True)
            ]
            show_table(console, columns, rows, indent=2)
    for judge in found.judges:
        say(console, order_words(judge), hanging=2)

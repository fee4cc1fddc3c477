"""`tiebreak audit`: what is wrong with metrics and judges.

In the terminal: the conclusion on each, or a table of many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final

from rich.text import Text

from tiebreak.auditing.audit import audit_with
from tiebreak.cli.estimate import show_confusion
from tiebreak.cli.progress import working
from tiebreak.cli.setting_options import AllOption, JsonOption, StrictOption, StudyArgument, option, with_settings
from tiebreak.cli.terminal import Name, Terminal, Words
from tiebreak.cli.writing import check_files, check_table_or_page, is_page, print_result, write_files
from tiebreak.files import write_bytes
from tiebreak.messages.audit import (
    bin_words,
    calibration_words,
    conclusion,
    dependence_words,
    flip_words,
    left_out_words,
    number_words,
    share_words,
    statistics_words,
)
from tiebreak.numbers import about, counted, in_percent, listed_names, plain, rounded
from tiebreak.places import labels_that_count, study_at
from tiebreak.report.formats import PAGE_ENDINGS, write_table
from tiebreak.results.audits import Audit, AuditedSource, Calibration, JudgeAgreement, PairWinRates, WinRates
from tiebreak.results.settings import AuditSettings


@with_settings(AuditSettings)
def audit_command(
    study: StudyArgument,
    settings: AuditSettings,
    strict: StrictOption = False,
    everything: AllOption = False,
    as_json: JsonOption = False,
    out: Annotated[
        Path | None, option(f"Also write the win rates: {PAGE_ENDINGS}, the last a page with pictures.", "FILE")
    ] = None,
) -> None:
    """Say how wrong a metric or judge is, by the human labels of a study.

    How often it agrees with people, and people with one another; what it favours (length, markdown, side shown, a
    system); its win rates, and those corrected by people; what it can be used for. Without --metric and --judge all of
    them.

    Example: tiebreak audit my-study --judge gpt-4o --out win-rates.csv
    """
    check_files(study, (out, check_table_or_page))
    chosen, left_out = labels_that_count(study_at(study, strict=strict))
    with working("Auditing ..."):
        found = audit_with(replace(chosen, notices=(*chosen.notices, *left_out)), settings)
    write_files((out, partial(_write_page if is_page(out) else write_table, found)))
    print_result(found, partial(show_audit, everything=everything), as_json=as_json)


def _write_page(found: Audit, path: Path) -> None:
    from tiebreak.report.audit_page import audit_page

    write_bytes(path, audit_page(found).encode())


_CONCLUDED: Final = 4
_PAIRS_CONCLUDED: Final = 5
_TWOS_SHOWN: Final = 15


def show_audit(audit: Audit, console: Terminal, *, everything: bool = False) -> None:
    """Print it: the conclusion on each source; of many sources a table.

    `everything`: and all figures behind it.
    """
    many = len(audit.results) > _CONCLUDED
    names = {(found.kind, found.name) for found in audit.results}
    counts = [(kind, sum(of == kind for of, _ in names)) for kind in ("judge", "metric")]
    sources = " and ".join(counted(count, kind) for kind, count in counts if count)
    console.say(Text.assemble((audit.study, "bold"), f": {sources} beside people"))
    if many:
        console.say()
        _show_overview(audit, console)
    for found in audit.results:
        if everything or not many:
            _show_conclusion(found, console)
        if everything:
            _show_source(found, audit, console)
    if audit.together:
        _show_together(audit, console, everything=everything)
    if everything:
        console.heading("Statistics")
        for name, words in statistics_words(audit):
            console.fact(name, f"{words}.", indent=2)
    if audit.warnings or not everything:
        console.say()
    for warning in audit.warnings:
        console.fact("Warning", warning.text, style="bold yellow")
    if not everything:
        console.say("--all adds all figures, every pair, and what the figures mean.", style="dim")


def _show_conclusion(found: AuditedSource, console: Terminal) -> None:
    about = f" on {found.criterion}" if found.criterion is not None else ""
    console.heading(f"{listed_names([found.name])} ({found.kind}){about}")
    for name, text in conclusion(found):
        console.fact(name, text, indent=2)
    columns = [Name("Pair"), "People", "It", "Corrected", "Labels"]
    pairs = [pair.winner_first() for pair in sorted(found.pairs, key=lambda of: _farthest_first((of, of.outcomes)))]
    rows = [
        (
            f"{pair.system_a} : {pair.system_b}",
            in_percent(pair.outcomes.by_people.value or 0.0),
            in_percent(pair.outcomes.by_source.value or 0.0),
            share_words(pair.outcomes.corrected),
            pair.outcomes.labels,
        )
        for pair in pairs[:_PAIRS_CONCLUDED]
    ]
    if rows:
        console.table(columns, rows, indent=2, rule=False)


def _show_overview(audit: Audit, console: Terminal) -> None:
    """One line per source and criterion."""
    columns = [Name("Judge or metric"), Name("Criterion"), "Comparisons", "Agrees", "Decided", "Kappa", Words("")]
    rows = []
    for found in audit.results:
        figures = ("", "", "", "")
        if found.validated:
            of = found.agreement
            figures = (f"{found.comparisons:,}", share_words(of.all), share_words(of.decided), number_words(of.kappa))
        rows.append((found.name, found.criterion or "", *figures, "" if found.validated else "unvalidated"))
    console.table(columns, rows)


def _show_source(found: AuditedSource, audit: Audit, console: Terminal) -> None:
    """All figures behind a conclusion."""
    if left_out := left_out_words(found):
        console.say(left_out)
    if found.validated:
        console.say()
        recall = [in_percent(of.value) if of.value is not None else "-" for of in found.agreement.recall]
        show_confusion(found.confusion, console, recall)
        _show_agreement(found.agreement, audit, console)
    if told := dependence_words(found):
        console.heading("What its errors do not go with")
        console.bullets(told)
    if found.orders is not None:
        console.heading("Order shown")
        console.bullets(flip_words(found.orders))
    if found.probabilities is not None:
        console.heading("Its probabilities")
        _show_probabilities(found.probabilities, console)
    if found.pairs:
        console.heading("Win rates of the first of two systems, and labels to know them")
        _show_pairs([(pair, pair.outcomes) for pair in found.pairs], audit, console)
    expected = [(pair, pair.expected) for pair in found.pairs if pair.expected is not None]
    if expected:
        console.heading("The same by the outcome that its probabilities let expect")
        _show_pairs(expected, audit, console)


def _show_agreement(of: JudgeAgreement, audit: Audit, console: Terminal) -> None:
    if of.both_decided.value is not None:
        text = f"{share_words(of.both_decided)} of {counted(of.both_decided.comparisons, 'comparison')}"
        console.say(f"Where neither it nor people say tie, it agrees on {text}.")
    kappa = number_words(of.kappa) if of.kappa.value is not None else "not identified, both always say the same"
    console.say(f"Cohen's kappa: {kappa}.")
    if of.needed is not None:
        half = plain(audit.settings.half_width)
        console.say(f"To know its agreement to ±{half} takes {about(of.needed, 'comparison')} with human labels.")


def _show_probabilities(of: Calibration, console: Terminal) -> None:
    console.bullets(calibration_words(of))
    if not of.reliability:
        return
    console.say()
    columns = [Name("Likeliest outcome"), "Comparisons", "Stated", "People name it"]
    rows = [
        (bin_words(row), row.agrees.comparisons, in_percent(row.stated), share_words(row.agrees))
        for row in of.reliability
    ]
    console.table(columns, rows, indent=2)


def _show_pairs(rates: Sequence[tuple[PairWinRates, WinRates]], audit: Audit, console: Terminal) -> None:
    half = plain(audit.settings.half_width)
    people = ("Items", "People", "It", "Difference")
    columns = [Name("Pair"), *people, "Judged", "Corrected", "Labels", f"To ±{half}", "Without it"]
    console.table(columns, [_pair_row(*pair) for pair in sorted(rates, key=_farthest_first)])


def _farthest_first(of: tuple[PairWinRates, WinRates]) -> tuple[float, str, str]:
    """Those with the largest difference first, among those whose interval says anything."""
    pair, rates = of
    known = rates.difference.low is not None and rates.difference.value is not None
    return (-abs(rates.difference.value or 0.0) if known else 1.0), pair.system_a, pair.system_b


def _pair_row(pair: PairWinRates, of: WinRates) -> tuple[str | int, ...]:
    turned = pair.winner_first()
    if turned is not pair:
        pair, of = turned, of.turned()
    people, it = (in_percent(rate.value or 0.0) for rate in (of.by_people, of.by_source))
    return (
        f"{listed_names([pair.system_a])} : {listed_names([pair.system_b])}",
        of.items,
        people,
        it,
        number_words(of.difference),
        of.judged,
        share_words(of.corrected),
        of.labels,
        _projected(of.needed.with_source),
        _projected(of.needed.without),
    )


def _projected(labels: int | None) -> str:
    return "-" if labels is None else rounded(labels)


def _show_together(audit: Audit, console: Terminal, *, everything: bool) -> None:
    console.heading("Errors of two of them")
    figures = ("Comparisons", "Errors correlate", "Both wrong", "By chance")
    twos = sorted(audit.together, key=lambda two: -(two.correlation.value or -2.0))
    rows = [
        (
            listed_names(two.names),
            two.criterion or "",
            two.correlation.comparisons,
            number_words(two.correlation),
            in_percent(two.both_wrong),
            in_percent(two.by_chance),
        )
        for two in twos
    ]
    most = None if everything else _TWOS_SHOWN
    console.table([Name("Judges or metrics"), Name("Criterion"), *figures], rows, most=most)

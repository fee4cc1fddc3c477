"""What `tiebreak score` prints: the metrics there are, what became of the outputs, and how scores go with labels.

What a judge will be asked, and what came of it, in the terminal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from rich.text import Text

from tiebreak.cli.terminal import Name, Terminal, Words
from tiebreak.data.study import Study
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.numbers import about_money, counted, in_percent, interval, known_number, money, rounded
from tiebreak.scoring.judges.account import Findings, JudgeAccount, JudgePlan
from tiebreak.scoring.metric import Metric
from tiebreak.scoring.registry import KnownMetrics
from tiebreak.scoring.score import LabelCorrelations, MetricScores, ScoreResult

_TELLING: Final = 5.0
"""Seconds below which a rate tells how long a metric took to load, and little of how fast it is."""


def show_scores(result: ScoreResult, study: str, console: Terminal, *, written: bool) -> None:
    """What became of the outputs of a study by each metric, and how its scores go with the labels; `written`: whether
    the study has changed.
    """
    if result.prepared is not None:
        kept = f"; {counted(result.texts_changed, 'text')} changed now" if result.outputs_changed else ""
        console.say(f"Outputs are prepared ({result.prepared}){kept}. The originals are in the column original.")
    if result.metrics:
        _show_counts(result.metrics, console)
    for criterion, found in groupby(result.correlations, key=lambda one: one.criterion):
        _show_correlations(criterion, list(found), console)
    console.say()
    what = "Scores are" if result.metrics else "Prepared texts are"
    done = f"{what} in {study}." if written else f"Nothing is new: {study} is as it was."
    console.say(done, style="bold green")


def _show_counts(metrics: Sequence[MetricScores], console: Terminal) -> None:
    rows = [
        (
            of.name,
            of.scored,
            of.outputs - of.scored,
            of.distinct,
            of.computed,
            of.replaced or "",
            _rate(of.computed / of.seconds) if of.seconds >= _TELLING else "",
        )
        for of in metrics
    ]
    columns = [Name("Metric"), "Scored", "Missing", "Texts", "New", "Replaced", "Per second"]
    console.table(columns, rows)
    reasons: dict[tuple[str, int], list[str]] = {}
    for of in metrics:
        for reason in of.missing.items():
            reasons.setdefault(reason, []).append(of.name)
    if reasons:
        console.say()
        for (why, times), names in reasons.items():
            console.bullets([f"{', '.join(names)}: {counted(times, 'output')} without a score: {why}."])


def _rate(of: float) -> str:
    return f"{of:,.0f}" if of >= 10 else f"{of:.1f}"


def _show_correlations(criterion: str | None, found: Sequence[LabelCorrelations], console: Terminal) -> None:
    """Of each metric three correlations with 95% intervals."""
    labels = found[0].labels
    console.heading(f"Correlation with {labels}{f' on {criterion}' if criterion is not None else ''}")
    rows = []
    for of in found:
        levels = (of.correlations.within, of.correlations.instances, of.correlations.systems)
        rows.append((of.metric, *map(_with_interval, levels)))
    heads = ("within systems", "over outputs" if labels == "ratings" else "over comparisons", "between systems")
    console.table([Name("Metric"), *heads], rows)


def _with_interval(of: IntervalEstimate) -> str:
    ends = "" if of.low is None or of.high is None else f" {interval(of.low, of.high)}"
    return known_number(of.estimate) + ends


def show_known_metrics(known: KnownMetrics, console: Terminal) -> None:
    """All metrics: what each measures, which way is better, its range, and what it needs and takes."""
    rows = []
    for metric in known.metrics.values():
        better = {True: "higher", False: "lower", None: ""}[metric.higher_is_better]
        missing = metric.missing_package()
        install = f"tiebreak[{metric.extra}]" if missing and metric.extra else missing
        rows.append((metric.name, metric.words, better, _range(metric), ", ".join(sorted(metric.needs)), install))
    columns = [Name("Metric"), Words("What"), "Better", "Range", "Needs", "To install"]
    console.table(columns, rows)
    for point, why in known.broken.items():
        console.say(f"{point} could not be loaded: {why}", style="yellow", hanging=2)


def _range(metric: Metric) -> str:
    low, high = metric.range
    if math.isinf(low):
        return "any"
    return f"from {low:g}" if math.isinf(high) else f"{low:g} to {high:g}"


def metrics_document(known: KnownMetrics) -> dict[str, object]:
    """The same for `--json`."""
    return {
        "metrics": [
            {
                "name": metric.name,
                "what": metric.words,
                "higher_is_better": metric.higher_is_better,
                "range": [end if math.isfinite(end) else None for end in metric.range],
                "needs": sorted(metric.needs),
                "missing_package": metric.missing_package() or None,
                "package": known.source.get(metric.name, "tiebreak"),
            }
            for metric in known.metrics.values()
        ],
        "not_loaded": dict(known.broken),
    }


def show_plan(console: Terminal, plan: JudgePlan, study: Study, *, prompt: bool = False) -> None:
    """What a judge is to be asked; `prompt`: with the first message."""
    judge, work = plan.judge, plan.work
    console.say(Text.assemble((judge.name, "bold"), f": {judge.model} at {judge.base_url}"))
    units = counted(work.units, "output" if judge.settings.grades else "comparison")
    facts = [f"{units} to judge", f"{counted(plan.calls, 'call')} to make"]
    if work.identical:
        facts.append(f"{counted(len(work.identical), 'comparison')} of identical texts, ties without a call")
    if work.known:
        facts.append(f"{counted(work.known, 'answer')} in the study already")
    if plan.kept:
        facts.append(f"{counted(plan.kept, 'reply')} kept from earlier")
    if plan.pending:
        facts.append(f"{counted(plan.pending, 'call')} in batches that have not ended")
    if plan.calls:
        price = "price not known: give --input-price and --output-price"
        if plan.price is not None:
            price = f"about {about_money(plan.price, study.settings.currency)}"
        tokens = f"{rounded(plan.usage.read)} tokens read, {rounded(plan.usage.written)} written, without reasoning"
        facts.append(f"expected: {tokens}; {price}")
    console.bullets(facts, indent=2)
    if prompt and plan.first is not None:
        console.heading("The first prompt")
        console.say_each(plan.first.split("\n"), indent=2)


def judging_document(
    plan: JudgePlan, study: Study, account: JudgeAccount | None = None, found: Findings | None = None
) -> dict[str, object]:
    """Everything that is printed, for `--json`; None: nothing was asked."""
    judge = plan.judge
    told: dict[str, object] = {
        "judge": judge.name,
        "model": judge.model,
        "provider": judge.settings.provider,
        "base_url": judge.base_url,
        "criterion": judge.settings.criterion,
        "currency": study.settings.currency,
        "plan": plan.to_dict(),
    }
    if account is None:
        return told
    return told | account.to_dict() | ({} if found is None else found.to_dict())


def total_words(plans: Sequence[JudgePlan], study: Study) -> str:
    """`"240 calls, about $1.20"`, for a question."""
    calls = counted(sum(plan.calls for plan in plans), "call")
    prices = [plan.price for plan in plans if plan.calls]
    if None in prices:
        return f"{calls}, at a price that is not known"
    return f"{calls} for about {about_money(sum(price or 0.0 for price in prices), study.settings.currency)}"


def show_account(console: Terminal, account: JudgeAccount, found: Findings, study: Study) -> None:
    """What came of a judge's questions, what they cost, and what that saves."""
    console.say()
    console.say(Text.assemble((account.plan.judge.name, "bold"), f": {_judged(account)}"))
    told = [*_doubts(account), *_order(account, found), _bill(account, study), *_worth(account, found, study)]
    console.bullets(told, indent=2)
    if account.pending:
        console.say("The same command collects the batches once they have ended, within a day.")
    elif not account.complete:
        console.say("The same command asks again for what is missing, and for nothing else.")


def _judged(account: JudgeAccount) -> str:
    work = account.plan.work
    told = [f"{counted(account.scored, 'answer')}"]
    if work.identical:
        told.append(f"{counted(len(work.identical), 'tie')} of identical texts")
    if work.known:
        told.append(f"{work.known:,} known before")
    unscored = sum(account.unscored.values())
    if unscored:
        told.append(f"{unscored:,} unscored")
    if account.pending:
        told.append(f"{account.pending:,} in batches")
    return ", ".join(told)


def _doubts(account: JudgeAccount) -> list[str]:
    """What is missing, and why."""
    found = []
    if account.unscored:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in sorted(account.unscored.items()))
        found.append(f"unscored: {reasons}")
    if account.failed:
        found.append(f"{counted(account.failed, 'call')} without a reply: {account.failure}")
    if account.gave_up:
        found.append(f"stopped: {account.gave_up}")
    if account.not_asked:
        found.append(f"{counted(account.not_asked, 'question')} not asked")
    if account.dropped:
        found.append(f"left out, since the model rejects it: {', '.join(account.dropped)}")
    if account.plan.judge.settings.logprobs and account.scored and account.leaked is None:
        found.append("no probabilities: the server gives no log-probabilities of the answers")
    return found


def _order(account: JudgeAccount, found: Findings) -> list[str]:
    """How far answers hang on the order, and on what is on no menu."""
    both, told = found.answered_in_both_orders, []
    if both:
        share = in_percent(found.flipped / both)
        told.append(f"{share} of {counted(both, 'comparison')} flip with the order shown, and count as ties")
    if account.leaked is not None:
        told.append(f"probabilities: {100 * account.leaked:.2g}% goes to answers that are not on the menu, on average")
    return told


def _bill(account: JudgeAccount, study: Study) -> str:
    currency = study.settings.currency
    told = f"{counted(account.calls, 'call')}: {account.usage.read:,} tokens read, {account.usage.written:,} written"
    if account.paid is not None:
        told += f", {money(account.paid, currency)}"
    if account.uncounted:
        told += f" (of {counted(account.uncounted, 'call')} by their size, as the server does not count)"
    if account.lost:
        told += f"; {counted(account.lost, 'reply')} lost on the way"
        told += f", for at most {money(account.doubtful, currency)} more" if account.doubtful else ""
    return told


def _worth(account: JudgeAccount, found: Findings, study: Study) -> list[str]:
    """What the judge saves of human labels, beside the bill."""
    if not (account.scored or account.plan.work.known):
        return []
    labels, price = found.labels_saved, found.price_of_labels_saved
    if labels is None:
        return ["how many human labels it saves cannot be told yet"]
    if labels < 1:
        return ["saves next to no human labels"]
    cost = "" if price is None else f", which cost {about_money(price, study.settings.currency)}"
    return [f"saves about {rounded(labels)} human labels{cost}"]

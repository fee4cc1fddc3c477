"""The page docs/certification.md, from what the grid and the real studies came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.certification import lengths, prose
from benchmarks.certification.campaigns import ALPHAS, LOOKS, Outcome, Tally
from benchmarks.certification.grid import RULES
from benchmarks.certification.real_data import Replay, Setting
from benchmarks.certification.real_page import real_section
from benchmarks.certification.rules import Rule
from benchmarks.certification.runner import Results
from benchmarks.certification.shares import EVERY, FIFTIES, ONCE, TENS, Share, shares_of, table, worst

PICTURE = "certification.svg"


@dataclass(frozen=True)
class Real:
    """Replays by setting; `skipped`: why there are none."""

    replays: dict[Setting, list[list[Replay]]]
    skipped: str | None = None


def page(results: Results, real: Real, command: str) -> str:
    """The whole page."""
    shares = shares_of(results)
    campaigns = {task: some_tally(outcome).runs for (task, _), outcome in results.outcomes.items()}
    parts = [
        prose.INTRODUCTION.format(
            command=command,
            campaigns=f"{sum(campaigns.values()):,}",
            worlds=len(campaigns),
            minutes=results.seconds / 60,
            summary=summary(shares),
            verdict=in_words(shares),
            picture=PICTURE,
        ),
        prose.HOW.format(
            margins=".2 for N = 300, .1 for N = 3,000",
            labels="at most 250 of 300 and 1,200 of 3,000 items of a pool, 100 of 300 and 1,000 of 3,000 inputs",
            luck=20,
            shares=len(shares),
        ),
        prose.LENGTHS.format(two_sided=1 + 0.6931 / 2.9957),
        lengths.tables(results),
        real_section(real.replays, real.skipped),
        "## All shares\n\nPer cent of campaigns with a wrong verdict, with 95 % intervals.\n",
        *(of_rule(shares, rule) for rule in rules_of(shares)),
    ]
    return "\n".join(parts)


def rules_of(shares: Sequence[Share]) -> list[Rule]:
    """The rules that have shares, in their order."""
    return [rule for name, rule in RULES.items() if any(share.rule == name for share in shares)]


def some_tally(outcome: Outcome) -> Tally:
    """Any of an outcome's tallies: all count the same campaigns."""
    return next(iter(next(iter(outcome.tallies.values())).values()))


def summary(shares: Sequence[Share]) -> str:
    """Per rule the highest share of all worlds under each way of looking."""
    header = ("rule", "in `compare`", *(f"{look}, {alpha:.0%}" for alpha in ALPHAS for look in LOOKS))
    rows = []
    for rule in rules_of(shares):
        cells = [_worst_cell(shares, rule.name, alpha, look) for alpha in ALPHAS for look in LOOKS]
        rows.append([rule.title, rule.option or "not offered", *cells])
    words = (
        "Highest share of wrong verdicts over all worlds, in per cent; in bold where it is above the level beyond luck."
    )
    return f"{words}\n\n{table(header, rows)}"


def _worst_cell(shares: Sequence[Share], rule: str, alpha: float, look: str) -> str:
    found = worst(shares, rule, alpha, look)
    if found is None:
        return "-"
    text = f"{100 * found.rate:.1f}"
    return f"**{text}**" if any_too_high(shares, rule, look, alpha) else text


def any_too_high(shares: Sequence[Share], rule: str, look: str, alpha: float | None = None) -> bool:
    """Whether a rule is above its level in some world when looked at like that."""
    return any(
        share.too_high(len(shares))
        for share in shares
        if share.rule == rule and share.look == look and alpha in (None, share.alpha)
    )


def in_words(shares: Sequence[Share]) -> str:
    """Which rules keep their promise and which do not, from the shares."""
    kept, broken = [], []
    for rule in rules_of(shares):
        fails = any_too_high(shares, rule.name, EVERY if rule.promise == "every look" else ONCE)
        (broken if fails else kept).append(rule)
    lines = ["In words:", ""]
    anytime = [rule.title for rule in kept if rule.promise == "every look"]
    lines.append(f"- **Hold at every look**, in every world: {'; '.join(anytime)}.")
    lines += [_failure(shares, rule) for rule in broken]
    lines += [_one_look(shares, rule) for rule in kept if rule.promise == "one look" and not rule.retrospective]
    lines += [_in_retrospect(shares, rule) for rule in kept if rule.retrospective]
    return "\n".join(lines)


def _failure(shares: Sequence[Share], rule: Rule) -> str:
    look = EVERY if rule.promise == "every look" else ONCE
    words = "; ".join(
        _both_levels(shares, rule, look) for look in (look, FIFTIES) if worst(shares, rule.name, 0.05, look)
    )
    return f"- **{rule.title}: fails.** {words}."


def _one_look(shares: Sequence[Share], rule: Rule) -> str:
    looks = [look for look in (EVERY, TENS, FIFTIES) if worst(shares, rule.name, 0.05, look)]
    failing = [look for look in looks if any_too_high(shares, rule.name, look)]
    head = f"- **{rule.title}**: {_both_levels(shares, rule, ONCE)}."
    if not failing:
        return head
    words = "; ".join(_both_levels(shares, rule, look) for look in failing)
    return f"{head} It must not be looked at on the way: {words}."


def _in_retrospect(shares: Sequence[Share], rule: Rule) -> str:
    return (
        f"- **{rule.title}**: {_both_levels(shares, rule, ONCE)}, because it decides by all labels, at the end. It is "
        "no stopping rule: whoever applies it again as labels come in decides at the first crossing, and errs like it."
    )


def _both_levels(shares: Sequence[Share], rule: Rule, look: str) -> str:
    rates = [worst(shares, rule.name, alpha, look) for alpha in ALPHAS]
    words = " and ".join(f"{100 * s.rate:.1f} % wrong at {s.alpha:.0%}" for s in rates if s is not None)
    where = {EVERY: "looked at after every label", TENS: "in batches of 10", FIFTIES: "of 50", ONCE: "looked at once"}
    return f"{where[look]}, up to {words}"


def of_rule(shares: Sequence[Share], rule: Rule) -> str:
    """All shares of one rule, folded away."""
    own = [share for share in shares if share.rule == rule.name]
    tasks = list(dict.fromkeys(share.task for share in own))
    looks = [look for look in LOOKS if any(share.look == look for share in own)]
    header = [
        "claim",
        "N",
        "labels",
        "ties",
        "metric",
        "campaigns",
        *(f"{look}, {a:.0%}" for a in ALPHAS for look in looks),
    ]
    own_runs = {share.task: share.tally.runs for share in own}
    rows = []
    for task in tasks:
        world = task.world
        cells = {(share.alpha, share.look): share.text for share in own if share.task == task}
        ties = f"{world.annotators} annotators" if world.annotators > 1 else f"{world.ties:.0%}"
        place = [world.target, f"{world.size:,}", f"{world.labels:,}", ties, world.metric or "-", f"{own_runs[task]:,}"]
        rows.append([*place, *(cells[alpha, look] for alpha in ALPHAS for look in looks)])
    return f"<details><summary>{rule.title}</summary>\n\n{table(header, rows)}\n\n</details>\n"

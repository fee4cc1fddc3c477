"""The page docs/certification.md, from what the grid and the real studies came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmarks.certification import lengths, prose
from benchmarks.certification.campaigns import ALPHAS, LOOKS, Outcome, Tally
from benchmarks.certification.grid import RULES
from benchmarks.certification.real_data import Replay, Setting
from benchmarks.certification.real_page import real_section
from benchmarks.certification.rules import Rule
from benchmarks.certification.runner import Results
from benchmarks.certification.shares import EVERY, FIFTIES, ONCE, TENS, Share, per_cent, pooled, shares_of, table, worst

PICTURE = "certification.png"


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
    """Per rule its share over all worlds together, and the highest of all worlds under each way of looking."""
    header = ["rule", "in `compare`"]
    for alpha in ALPHAS:
        header += [f"asked for {alpha:.0%}: all worlds, every look", *(f"{look}, {alpha:.0%}" for look in LOOKS)]
    rows = []
    for rule in rules_of(shares):
        row = [rule.title, rule.option or "not offered"]
        for alpha in ALPHAS:
            together = pooled(shares, rule.name, alpha, finest_look(shares, rule))
            text = per_cent(together.wrong, together.runs) if together else "-"
            row.append(f"**{text}**" if any_too_high(shares, rule.name, finest_look(shares, rule), alpha) else text)
            row += [_worst_cell(shares, rule.name, alpha, look) for look in LOOKS]
        rows.append(row)
    return table(header, rows)


def finest_look(shares: Sequence[Share], rule: Rule) -> str:
    """The most frequent looks that the rule was given."""
    return next(look for look in LOOKS if any((s.rule, s.look) == (rule.name, look) for s in shares))


def _worst_cell(shares: Sequence[Share], rule: str, alpha: float, look: str) -> str:
    found = worst(shares, rule, alpha, look)
    if found is None:
        return "-"
    text = f"{100 * found.rate:.1f}"
    return f"**{text}**" if any_too_high(shares, rule, look, alpha) else text


def any_too_high(shares: Sequence[Share], rule: str, look: str, alpha: float | None = None) -> bool:
    """Whether a rule is above its level, in some world or in all together, when looked at like that."""
    levels = ALPHAS if alpha is None else (alpha,)
    own = [s for s in shares if s.rule == rule and s.look == look and s.alpha in levels]
    if not own:
        return False
    own += [replace(own[0], alpha=level, tally=tally) for level in levels if (tally := pooled(own, rule, level, look))]
    return any(share.too_high(len(shares)) for share in own)


def in_words(shares: Sequence[Share]) -> str:
    """Which rules keep their promise and which do not, from the shares."""
    kept, broken = [], []
    for rule in rules_of(shares):
        fails = any_too_high(shares, rule.name, EVERY if rule.promise == "every look" else ONCE)
        (broken if fails else kept).append(rule)
    levels = " and ".join(f"{alpha:.0%}" for alpha in ALPHAS)
    lines = [f"Wrong verdicts where {levels} were asked for, over all worlds (and in the worst):", ""]
    anytime = [rule.title for rule in kept if rule.promise == "every look"]
    lines.append(f"- **Hold at every look**, in every world: {'; '.join(anytime)}.")
    lines += [_failure(shares, rule) for rule in broken]
    lines += [_one_look(shares, rule) for rule in kept if rule.promise == "one look" and not rule.retrospective]
    lines += [_in_retrospect(shares, rule) for rule in kept if rule.retrospective]
    return "\n".join(lines)


def _failure(shares: Sequence[Share], rule: Rule) -> str:
    promised = EVERY if rule.promise == "every look" else ONCE
    looks = [look for look in (promised, FIFTIES) if any_too_high(shares, rule.name, look)]
    return f"- **{rule.title}: fails.** {_capital('; '.join(_rates(shares, rule, look) for look in looks))}."


def _one_look(shares: Sequence[Share], rule: Rule) -> str:
    looks = [look for look in (finest_look(shares, rule), FIFTIES) if any_too_high(shares, rule.name, look)]
    head = f"- **{rule.title}**: {_rates(shares, rule, ONCE)}."
    if not looks:
        return head
    words = "; ".join(_rates(shares, rule, look) for look in looks)
    return f"{head} **Fails when one looks on the way**: {words}."


def _in_retrospect(shares: Sequence[Share], rule: Rule) -> str:
    return (
        f"- **{rule.title}**: {_rates(shares, rule, ONCE)}, because it decides by all labels, at the end. It is no "
        "stopping rule: whoever applies it again as labels come in decides at the first crossing, and errs like it."
    )


def _rates(shares: Sequence[Share], rule: Rule, look: str) -> str:
    """Shares at the levels over all worlds together, and in the worst world where one is too high."""
    together = [pooled(shares, rule.name, alpha, look) for alpha in ALPHAS]
    words = " and ".join(f"{100 * tally.wrong / tally.runs:.1f} %" for tally in together if tally is not None)
    if any_too_high(shares, rule.name, look):
        highest = [worst(shares, rule.name, alpha, look) for alpha in ALPHAS]
        words += f" (up to {' and '.join(f'{100 * share.rate:.1f} %' for share in highest if share is not None)})"
    where = {
        EVERY: "looked at after every label",
        TENS: "looked at in batches of 10",
        FIFTIES: "in batches of 50",
        ONCE: "looked at once",
    }
    return f"{where[look]} {words}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


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

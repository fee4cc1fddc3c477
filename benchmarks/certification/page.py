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
from benchmarks.certification.shares import LUCK, ONCE, Share, per_cent, pooled, shares_of, worst
from benchmarks.certification.worlds import metric_title
from benchmarks.pages import table

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
            luck=round(1 / LUCK),
            shares=len(shares),
            verdict=first_table(shares),
            retrospect=prose.RETROSPECT if any(rule.retrospective for rule in rules_of(shares)) else "",
            picture=PICTURE,
        ),
        prose.HOW.format(
            margins="0.2 for N = 300, 0.1 for N = 3,000",
            labels="at most 250 of 300 and 1,200 of 3,000 items of a pool, 100 of 300 and 1,000 of 3,000 inputs",
            summary=summary(shares),
        ),
        prose.LENGTHS.format(two_sided=1 + 0.6931 / 2.9957),
        lengths.tables(results),
        real_section(real.replays, real.skipped),
        "## All shares\n\nPer cent of campaigns with a wrong verdict, with 95% intervals.\n",
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
            row.append(_together_cell(shares, rule.name, alpha, finest_look(shares, rule)))
            row += [_worst_cell(shares, rule.name, alpha, look) for look in LOOKS]
        rows.append(row)
    return table(header, rows)


def finest_look(shares: Sequence[Share], rule: Rule) -> str:
    """The most frequent looks that the rule was given."""
    return next(look for look in LOOKS if any((s.rule, s.look) == (rule.name, look) for s in shares))


def _together_cell(shares: Sequence[Share], rule: str, alpha: float, look: str) -> str:
    together = pooled(shares, rule, alpha, look)
    if together is None:
        return "-"
    text = per_cent(together.wrong, together.runs)
    return f"**{text}**" if any_too_high(shares, rule, look, alpha) else text


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


def first_table(shares: Sequence[Share]) -> str:
    """Per rule what it promises and what was counted; rules for one look also as they must not be used."""
    header = ["rule", "looked at", "worlds", "campaigns"]
    header += [f"asked for {alpha:.0%}: {which}" for alpha in ALPHAS for which in ("all worlds", "worst world")]
    rows = []
    for rule in rules_of(shares):
        promised = finest_look(shares, rule) if rule.promise == "every look" else ONCE
        for look in dict.fromkeys((promised, finest_look(shares, rule))):
            fails = any_too_high(shares, rule.name, look)
            outcome = ("**fails**" if fails else "holds") if look == promised else "not promised"
            rows.append([rule.title, look, *_counted(shares, rule, look), outcome])
    return table([*header, "promise"], rows)


def _counted(shares: Sequence[Share], rule: Rule, look: str) -> list[str]:
    """Worlds, campaigns, and at each level the share over all worlds and in the worst."""
    own = [share for share in shares if (share.rule, share.look, share.alpha) == (rule.name, look, ALPHAS[0])]
    cells = [f"{len(own)}", f"{sum(share.tally.runs for share in own):,}"]
    for alpha in ALPHAS:
        highest = worst(shares, rule.name, alpha, look)
        too_high = any_too_high(shares, rule.name, look, alpha)
        text = "-" if highest is None else f"**{highest.text}**" if too_high else highest.text
        cells += [_together_cell(shares, rule.name, alpha, look), text]
    return cells


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
        place = [
            world.target,
            f"{world.size:,}",
            f"{world.labels:,}",
            ties,
            metric_title(world.metric),
            f"{own_runs[task]:,}",
        ]
        rows.append([*place, *(cells[alpha, look] for alpha in ALPHAS for look in looks)])
    return f"<details><summary>{rule.title}</summary>\n\n{table(header, rows)}\n\n</details>\n"

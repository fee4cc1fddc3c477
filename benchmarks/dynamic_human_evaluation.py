"""The tables of dynamic-human-evaluation beside ours: prints a page; `--write` saves docs/dynamic_human_evaluation.md.

python benchmarks/dynamic_human_evaluation.py [--data FOLDER] [--iterations 1000] [--redraws 20] [--seed 1] [--write]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tiebreak.data.readers import read_study
from tiebreak.kernels.agreement import Agreement, fleiss_kappa
from tiebreak.kernels.hoeffding import hoeffding_threshold
from tiebreak.simulate.crowd import Crowd, capable_workers, draw_labels, draw_people
from tiebreak.simulate.engine import CampaignRuns, PairSetting, run_matrix
from tiebreak.simulate.items import difficulties
from tiebreak.simulate.labelling import ItemValues, LabellingPolicy, item_values
from tiebreak.simulate.parallel import in_chunks
from tiebreak.simulate.replay import Votes, votes_of
from tiebreak.simulate.stopping import StoppingRule, boundary_for, stops

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "dynamic_human_evaluation.md"
FIGURE = REPOSITORY / "docs" / "dynamic_human_evaluation.svg"
Floats = NDArray[np.float64]

D = 0.001
Z99 = 2.5758
METHODS = {
    "7 Workers": LabellingPolicy("majority", 7),
    "5 Workers": LabellingPolicy("majority", 5),
    "Max 3 Workers": LabellingPolicy("max-three", 3),
    "Fixed Worker": LabellingPolicy("fixed"),
    "One Worker": LabellingPolicy("one"),
}
SETTINGS = ((0.25, 3_500), (0.125, 5_000), (0.0625, 15_000))
# Averages and 99 % intervals as printed.
TABLE_3 = {
    0.25: ((866, 841, 888), (722, 700, 742), (461, 447, 476), (344, 331, 357), (338, 325, 349)),
    0.125: ((3647, 3536, 3767), (3141, 3040, 3236), (2011, 1952, 2080), (1454, 1404, 1502), (1440, 1399, 1489)),
    0.0625: ((13302, 12965, 13609), (10850, 10607, 11114), (6729, 6551, 6900), (4526, 4376, 4685), (4491, 4356, 4636)),
}
REPLAYED = ("7 Workers", "5 Workers", "Max 3 Workers", "One Worker")
LEVELS = (0.01, 0.001, 0.0001)
TABLE_6 = {
    "naturalness-v1": ((70, 98, 133), (50, 70, 95), (30, 43, 59), (11, 19, 26)),
    "naturalness-v2": ((501, 823, 1235), (452, 671, 1010), (327, 519, 701), (273, 356, 385)),
}
TABLE_7 = (95, 80, 49)
KAPPA = {"naturalness-v1": 0.69, "naturalness-v2": 0.27}
RIVALS = {"naturalness-v1": "V1", "naturalness-v2": "V2"}
TITLES = {"naturalness-v1": "V1 against CGA", "naturalness-v2": "V2 against CGA (R1)"}
PAPER_ITERATIONS = 100


# ---- one table row from runs -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Average:
    """Mean of labels over decided runs, its standard error, the spread of one run, and the share decided."""

    mean: float
    error: float
    spread: float
    decided: float

    @classmethod
    def of(cls, runs: CampaignRuns, *, all_runs: bool = False) -> Average:
        labels = runs.labels if all_runs else runs.labels[runs.decided]
        if labels.size < 2:
            return cls(float("nan"), float("nan"), float("nan"), float(runs.decided.mean()))
        spread = float(labels.std(ddof=1))
        return cls(float(labels.mean()), spread / np.sqrt(labels.size), spread, float(runs.decided.mean()))

    def words(self) -> str:
        low, high = self.mean - Z99 * self.error, self.mean + Z99 * self.error
        return "none" if np.isnan(self.mean) else f"{self.mean:,.0f} ({low:,.0f}-{high:,.0f})"

    def near(self, printed: float) -> bool:
        """Whether an average over 100 such decided runs could be the printed one, at 99 %, rounding included."""
        decided = max(PAPER_ITERATIONS * self.decided, 1)
        reach = Z99 * np.hypot(self.spread / np.sqrt(decided), self.error)
        return bool(abs(printed - self.mean) <= reach + 0.5)


def authors_values(labels: NDArray[np.int8], policy: LabellingPolicy) -> ItemValues:
    """Values and costs as the authors' code has them: Max 3 pays three labels where the first two agree on A."""
    valued = item_values(labels, policy)
    if policy.name != "max-three":
        return valued
    agree_on_a = (labels[:, :, 0] == labels[:, :, 1]) & (labels[:, :, 0] > 0)
    return replace(valued, cost=np.where(agree_on_a, np.uint8(3), valued.cost))


def authors_runs(
    labels: NDArray[np.int8], policy: LabellingPolicy, rules: Sequence[StoppingRule]
) -> list[CampaignRuns]:
    valued = authors_values(labels, policy)
    found = [stops(valued.values, rule, boundary_for(rule, labels.shape[1])) for rule in rules]
    return [CampaignRuns(stop.verdict, stop.items, valued.labels_up_to(stop.items)) for stop in found]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, ["---"] * len(header), *rows))


# ---- Table 3 ---------------------------------------------------------------------------------------------------


def simulated(
    crowd: Crowd, difference: Floats, rules: Sequence[StoppingRule], iterations: int, seed: int, workers: int
) -> dict[str, list[CampaignRuns]]:
    """Runs of all five policies on one draw of the difficulties, which all iterations share."""
    items = difference.size
    for rule in rules:
        boundary_for(rule, items)
    setting = PairSetting(crowd, difference, frozenset({"max-three"}))

    def task(size: int, rng: np.random.Generator) -> list[list[CampaignRuns]]:
        return [authors_runs(setting.draw(policy, size, rng), policy, rules) for policy in METHODS.values()]

    parts = in_chunks(task, iterations, seed, chunk=max(1, 400_000 // (7 * items)), workers=workers)
    return {
        name: [CampaignRuns.joined([part[row][column] for part in parts]) for column in range(len(rules))]
        for row, name in enumerate(METHODS)
    }


def one_pool(seed: int) -> Crowd:
    return Crowd.of(capable_workers(100, 0.8, 1.0, np.random.default_rng([seed, 0])))


def table_3(iterations: int, redraws: int, seed: int, workers: int) -> tuple[str, str, list[float], float]:
    """The table; our default's labels in the same setting and their ratios to the table's; its processor seconds."""
    last = [StoppingRule("hoeffding-retrospective", alpha=D)]
    default = StoppingRule(alpha=D)
    rows, ours, seconds = [], [], 0.0
    ratios: list[float] = []
    for number, (mean, items) in enumerate(SETTINGS):
        rng = np.random.default_rng([seed, 1, number])
        start = time.process_time()
        found = simulated(one_pool(seed), difficulties(mean, items, rng), last, iterations, seed, workers)
        seconds += time.process_time() - start
        spread: dict[str, list[float]] = {name: [] for name in METHODS}
        anytime: dict[str, list[CampaignRuns]] = {name: [] for name in METHODS}
        for redraw in range(redraws):
            again = np.random.default_rng([seed, 2, number, redraw])
            crowd = Crowd.of(capable_workers(100, 0.8, 1.0, again))
            few = max(iterations // 5, 20)
            both = [*last, default]
            runs = simulated(crowd, difficulties(mean, items, again), both, few, seed + redraw, workers)
            for name, (of_last, of_default) in runs.items():
                spread[name].append(Average.of(of_last).mean)
                anytime[name].append(of_default)
        for name, (average, low, high) in zip(METHODS, TABLE_3[mean], strict=True):
            lowest, highest = min(spread[name]), max(spread[name])
            centre, half = float(np.mean(spread[name])), Z99 * float(np.std(spread[name], ddof=1))
            rows.append(
                [
                    f"{mean}",
                    name,
                    f"{average:,} ({low:,}-{high:,})",
                    Average.of(found[name][0]).words(),
                    f"{lowest:,.0f} to {highest:,.0f}",
                    "yes" if abs(average - centre) <= half else "no",
                ]
            )
            merged = CampaignRuns.joined(anytime[name])
            wrong = float((merged.verdict == -1).mean())
            needed = Average.of(merged, all_runs=True)
            ratios.append(needed.mean / float(np.mean(spread[name])))
            ours.append([f"{mean}", name, needed.words(), f"{ratios[-1]:.2f}", share(merged), f"{100 * wrong:.2g} %"])
    header = ["mean difficulty", "method", "paper", "ours, one draw", f"averages of {redraws} redraws", "paper within"]
    ours_header = ["mean difficulty", "method", "labels", "times those of the last crossing", "decided", "wrong"]
    return table(header, rows), table(ours_header, ours), ratios, seconds


def share(runs: CampaignRuns) -> str:
    return f"{100 * float(runs.decided.mean()):.3g} %"


# ---- what the rule promises ------------------------------------------------------------------------------------


def error_table(iterations: int, seed: int) -> str:
    """Equal systems: how often each rule calls one of them better."""
    rules = [
        ("Hoeffding, first crossing", "hoeffding"),
        ("Hoeffding, the authors' last crossing", "hoeffding-retrospective"),
        ("anytime (our default)", "anytime"),
    ]
    rows = []
    for horizon, runs in ((500, 20 * iterations), (5_000, 5 * iterations)):
        rng = np.random.default_rng([seed, 3, horizon])
        values = rng.integers(0, 2, size=(runs, horizon), dtype=np.int8) * np.int8(2) - np.int8(1)
        for words, name in rules:
            cells = []
            for level in LEVELS:
                wrong = float(stops(values, StoppingRule(name, alpha=level)).decided.mean())  # type: ignore[arg-type]
                half = Z99 * np.sqrt(max(wrong, 1 / runs) * (1 - wrong) / runs)
                cells.append(f"{100 * wrong:.2f} % ± {100 * half:.2f}")
            rows.append([f"{horizon:,}", words, *cells])
    return table(["items", "rule", *(f"1-d = {1 - level:g}" for level in LEVELS)], rows)


# ---- replay ----------------------------------------------------------------------------------------------------


def replayed(votes: Votes, iterations: int, seed: int) -> dict[str, dict[tuple[str, float], CampaignRuns]]:
    """Runs of the four methods on real labels under both readings of the rule, and under our default."""
    found: dict[str, dict[tuple[str, float], CampaignRuns]] = {}
    names = ("hoeffding-retrospective", "hoeffding")
    for number, method in enumerate(REPLAYED):
        policy = METHODS[method]
        labels = votes.draw(iterations, policy.people, np.random.default_rng([seed, 4, number]))
        rules = [StoppingRule(name, alpha=level) for name in names for level in LEVELS]  # type: ignore[arg-type]
        runs = authors_runs(labels, policy, rules)
        found[method] = {(rule.name, rule.alpha): run for rule, run in zip(rules, runs, strict=True)}
        for level in LEVELS:
            found[method]["anytime", level] = run_matrix(labels, policy, StoppingRule(alpha=level))
    return found


def table_6(study: str, found: dict[str, dict[tuple[str, float], CampaignRuns]]) -> str:
    rows = []
    for method, printed in zip(REPLAYED, TABLE_6[study], strict=True):
        for level, average in zip(LEVELS, printed, strict=True):
            last = Average.of(found[method]["hoeffding-retrospective", level])
            first = found[method]["hoeffding", level]
            rows.append(
                [
                    method,
                    f"{1 - level:g}",
                    f"{average:,}",
                    last.words(),
                    "yes" if last.near(average) else "no",
                    f"{Average.of(first).words()}, {share(first)} decided",
                ]
            )
    header = ["method", "1-d", "paper", "ours, last crossing", "agrees", "ours, first crossing"]
    return table(header, rows)


def table_7(found: dict[str, dict[tuple[str, float], CampaignRuns]]) -> str:
    rows = []
    for level, printed in zip(LEVELS, TABLE_7, strict=True):
        last, first = (found["One Worker"][name, level] for name in ("hoeffding-retrospective", "hoeffding"))
        decided = float(last.decided.mean())
        half = 100 * Z99 * np.sqrt(decided * (1 - decided) / PAPER_ITERATIONS)
        agrees = abs(printed - 100 * decided) <= half + 0.5
        rows.append([f"{1 - level:g}", f"{printed} %", share(last), "yes" if agrees else "no", share(first)])
    return table(["1-d", "paper", "ours, last crossing", "agrees", "ours, first crossing"], rows)


def default_table(study: str, found: dict[str, dict[tuple[str, float], CampaignRuns]]) -> list[list[str]]:
    rows = []
    for method in REPLAYED:
        of_levels = [found[method]["anytime", level] for level in LEVELS]
        cells = [f"{Average.of(runs).words()}, {share(runs)} decided" for runs in of_levels]
        wrong = sum(int((runs.verdict < 0).sum()) for runs in of_levels)
        rows.append([TITLES[study], method, *cells, f"{wrong:,}"])
    return rows


def kappas(folder: Path, rng: np.random.Generator) -> tuple[Agreement, Agreement]:
    """Fleiss' kappa with the positions on the screen as categories, and with the systems."""
    frame = read_study(folder).preferences
    if frame is None:
        raise SystemExit(f"{folder} has no preferences")
    items, people = frame["item"].to_numpy(), frame["annotator"].to_numpy()
    chose_a = frame["outcome"].to_numpy() == "a"
    a_left = (frame["left"] == frame["system_a"]).to_numpy()
    return (
        fleiss_kappa(items, people, (chose_a == a_left).astype(float), rng=rng, confidence=0.99),
        fleiss_kappa(items, people, chose_a.astype(float), rng=rng, confidence=0.99),
    )


# ---- Figure 1 --------------------------------------------------------------------------------------------------


def figure_1(seed: int, path: Path | None) -> list[int]:
    """One campaign of One Worker at two difficulties: mean, bound, and where the lower bound passes 1/2 for good."""
    from matplotlib.figure import Figure

    from tiebreak.report.figures.canvas import plain_frame, save
    from tiebreak.report.style import LIGHT

    figure = Figure(figsize=(7.2, 2.9), layout="constrained")
    crossings = []
    for place, (mean, items, colour) in enumerate(((0.125, 5_000, "first"), (0.0625, 15_000, "second"))):
        rng = np.random.default_rng([seed, 5, place])
        crowd = one_pool(seed)
        people = draw_people(len(crowd), 1, items, 1, rng)
        values = draw_labels(crowd, people, difficulties(mean, items, rng), rng)[:, :, 0]
        found = stops(values, StoppingRule("hoeffding-retrospective", alpha=D))
        crossings.append(int(found.items[0]))
        n = np.unique(np.geomspace(20, items, 300).astype(int))
        share_of_a = (np.cumsum(values[0] > 0) / np.arange(1, items + 1))[n - 1]
        bound = hoeffding_threshold(n, D)
        axes = figure.add_subplot(1, 2, place + 1)
        axes.fill_between(n, share_of_a - bound, share_of_a + bound, color=LIGHT[colour], alpha=0.2, linewidth=0)
        axes.plot(n, share_of_a, color=LIGHT[colour], linewidth=1.4)
        axes.axhline(0.5, color=LIGHT["text"], linewidth=0.8, linestyle=(0, (5, 3)))
        axes.axvline(crossings[-1], color=LIGHT["text"], linewidth=0.8, linestyle=":")
        axes.set(ylim=(0.4, 0.75), xlim=(0, items))
        axes.set_title(f"mean difficulty {mean}: {crossings[-1]:,} labels", fontsize=8)
        axes.set_xlabel("items labelled", fontsize=8)
        axes.tick_params(labelsize=8)
        plain_frame(axes, "left", "bottom")
        if place == 0:
            axes.set_ylabel("share of choices of A", fontsize=8)
    if path is not None:
        save(figure, path)
    return crossings


# ---- the page --------------------------------------------------------------------------------------------------

INTRODUCTION = """# Dynamic human evaluation, beside ours

The tables of *Dynamic Human Evaluation for Relative Model Comparisons* (Thorleiksdóttir, Renggli, Hollenstein, Zhang
2022), made again from the description and, for the crowd's labels, from the data that its authors published; and what
our default needs for the same decisions. Made by `python benchmarks/dynamic_human_evaluation.py --write`:
{iterations:,} iterations, seed {seed}. Intervals are 99 % intervals for a mean, as in the paper. "agrees" says whether
the printed average lies within the sampling error (99 %) of 100 iterations of ours.

Two readings of the rule. The text of the paper stops at the *first* item at which the bound leaves 1/2. Its tables come
from the *last* such item: the authors' code looks at all labels first and takes the crossing after which the mean stays
beyond the bound. That is no stopping rule, because it needs the labels that come later; only it gives the printed
figures. Iterations without a decision are left out of the averages, as in the paper.

## Figure 1

![share of choices of A with the bound, at two difficulties](dynamic_human_evaluation.svg)

One campaign each of One Worker at 1-d = 0.999: the lower bound passes 1/2 for good after {first:,} labels at mean
difficulty 0.125 and after {second:,} at 0.0625, {ratio:.1f} times as many. The paper's two campaigns differ by a factor
of about 3; single campaigns vary that much.

## Table 3: simulated workers

Average labels until a decision at 1-d = 0.999, last crossing. 100 workers of capability uniform on (.8, 1);
difficulties normal with *variance* 0.1, cut to [-1, 1] and the same in all iterations; a fresh worker for every label,
majorities of different workers, Max 3 with repetition. Max 3 pays two labels where the first two agree on the worse
model and three otherwise, as in the authors' code.

{table_3}

Which difficulties happen to be drawn moves the averages more than the printed intervals admit: the fifth column holds
the lowest and highest average of {redraws} draws of difficulties and workers ({few:,} iterations each). The last column
says whether the paper's average lies within 2.58 standard deviations of their mean. {verdict_3}

The whole table took {seconds:.1f} seconds of processor time; the authors' scripts need about 6,000.

## What 1-d promises

Two equal systems: how often a rule calls one of them better.

{errors}

The first crossing errs several times as often as d, and the more the longer it may run. The last crossing errs less
than d, because in truth it looks once, when all labels have been paid for. Our default looks after every label, and
stays below.
"""

REPLAY = """## Table 6: the crowd's labels, {title}

Average labels until a decision: {iterations:,} iterations, in each of which every item gets some of its ten annotators
at random, without replacement, items in the order of their numbers.

{table}
"""

REST = """## Table 7: how often One Worker decides, R1

{table_7}

## Agreement

Fleiss' kappa of all labels, with 99 % intervals over items.

{kappas}

The printed kappas come out with the position on the screen as the category. By system V1's is far lower: where nearly
everybody prefers one system, most agreement is expected by chance.

## What our default needs: the crowd's labels

The same labels under `tiebreak`'s default rule, which may be looked at after every label and calls a system wrongly
better with a chance of at most alpha. Max 3 pays two labels for every agreement here. Averages are over decided
iterations, as above; {items:,} items are not always enough, and the share says so.

{default}
"""

DEFAULT_SIMULATED = """## What our default needs: simulated workers

Table 3 again at alpha = 0.001 under `tiebreak`'s default rule, over the redrawn difficulties; undecided iterations
count with all their labels, Max 3 pays as in the authors' code.

{table}

An error rate that holds at every look costs {low:.2f} to {high:.2f} times the labels of the last crossing, which is
counted by somebody who has seen all labels. One person an item needs the fewest labels, as the paper found.
"""


def page(data: Path, iterations: int, redraws: int, seed: int, workers: int, figure: Path | None) -> str:
    crossings = figure_1(seed, figure)
    simulated_table, ours, ratios, seconds = table_3(iterations, redraws, seed, workers)
    inside = simulated_table.count("| yes |")
    text = INTRODUCTION.format(
        iterations=iterations,
        seed=seed,
        first=crossings[0],
        second=crossings[1],
        ratio=crossings[1] / crossings[0],
        table_3=simulated_table,
        redraws=redraws,
        few=max(iterations // 5, 20),
        verdict_3=f"{inside} of {3 * len(METHODS)} do.",
        seconds=seconds,
        errors=error_table(iterations, seed),
    )
    parts = [text]
    default_simulated = DEFAULT_SIMULATED.format(table=ours, low=min(ratios), high=max(ratios))
    missing = [name for name in TABLE_6 if not (data / name).is_dir()]
    if missing:
        print(f"Tables 6 and 7 and kappa are skipped: {data} does not hold {' and '.join(missing)}", file=sys.stderr)
        return "\n".join([*parts, default_simulated])
    default_rows, kappa_rows, r1 = [], [], None
    for study in TABLE_6:
        votes = votes_of(read_study(data / study), "CGA", RIVALS[study])
        found = replayed(votes, iterations, seed)
        r1 = found
        parts.append(REPLAY.format(title=TITLES[study], iterations=iterations, table=table_6(study, found)))
        default_rows += default_table(study, found)
        screen, model = kappas(data / study, np.random.default_rng([seed, 6]))
        cells = [f"{one.estimate:.3f} ({one.low:.2f}-{one.high:.2f})" for one in (screen, model)]
        kappa_rows.append([TITLES[study], f"{KAPPA[study]:.2f}", *cells])
    header = ["pair", "method", *(f"alpha = {level:g}" for level in LEVELS), "verdicts against CGA"]
    parts.append(
        REST.format(
            table_7=table_7(r1 or {}),
            kappas=table(["pair", "paper", "by position on the screen", "by system"], kappa_rows),
            items=500,
            default=table(header, default_rows),
        )
    )
    return "\n".join([*parts, default_simulated])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=REPOSITORY.parent / "shared" / "data", help="the real studies")
    parser.add_argument("--iterations", type=int, default=1_000)
    parser.add_argument("--redraws", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="save the page and its figure in docs")
    options = parser.parse_args()
    if options.iterations < 2 or options.redraws < 2:
        parser.error("--iterations and --redraws must be at least 2")
    figure = FIGURE if options.write else None
    text = page(options.data, options.iterations, options.redraws, options.seed, options.workers, figure)
    print(text)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The tables of dynamic-human-evaluation beside ours: prints a page; `--write` saves docs/dynamic_human_evaluation.md.

python benchmarks/dynamic_human_evaluation.py [--data FOLDER] [--iterations 1000] [--redraws 20] [--seed 1] [--write]
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import numpy as np

import dynamic_human_tables as tables
from dynamic_human_prose import DEFAULT_SIMULATED, INTRODUCTION, REPLAY, REST
from dynamic_human_ratios import ratios
from dynamic_human_runs import KAPPA, LEVELS, METHODS, RIVALS, TABLE_6, TITLES, D, one_pool, replayed
from pages import DOCS, REAL_STUDIES, show, table
from tiebreak.data.readers import read_study
from tiebreak.kernels.reproduced import hoeffding_threshold
from tiebreak.simulate.engines.stopping import StoppingRule, stops
from tiebreak.simulate.people.crowd import draw_labels, draw_people
from tiebreak.simulate.people.items import difficulties
from tiebreak.simulate.replay.labels import votes_of

FIGURE = DOCS / "dynamic_human_evaluation.svg"


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


def page(data: Path, iterations: int, redraws: int, seed: int, workers: int, figure: Path | None) -> str:
    """The whole page; without the real studies, what can be simulated."""
    crossings = figure_1(seed, figure)
    load = os.getloadavg()[0]
    table_3 = tables.table_3(iterations, redraws, seed, workers)
    beside_one = ratios(table_3.redraws, tables.few(iterations), redraws, seed, workers)
    introduction = INTRODUCTION.format(
        iterations=iterations,
        seed=seed,
        first=crossings[0],
        second=crossings[1],
        ratio=crossings[1] / crossings[0],
        table_3=table_3.beside_paper,
        redraws=redraws,
        few=tables.few(iterations),
        verdict_3=f"{table_3.agreeing} of {3 * len(METHODS)} do.",
        seconds=table_3.seconds,
        workers=workers,
        load=load,
        ratios=beside_one.beside_paper,
        ratios_agreeing=f"{beside_one.agreeing} of {beside_one.rows} do.",
        wider=beside_one.wider,
        narrower=beside_one.narrower,
        one_is_least=beside_one.one_is_least,
        wider_settings=beside_one.settings,
        fixed=beside_one.fixed,
        errors=tables.error_table(iterations, seed),
    )
    simulated = DEFAULT_SIMULATED.format(table=table_3.ours, low=min(table_3.ratios), high=max(table_3.ratios))
    missing = [name for name in TABLE_6 if not (data / name).is_dir()]
    if missing:
        print(f"Tables 6 and 7 and kappa are skipped: {data} does not hold {' and '.join(missing)}", file=sys.stderr)
        return "\n".join([introduction, simulated])
    return "\n".join([introduction, *real_labels(data, iterations, seed), simulated])


def real_labels(data: Path, iterations: int, seed: int) -> list[str]:
    """What is made from the crowd's labels."""
    parts, default_rows, kappa_rows, found = [], [], [], {}
    for study in TABLE_6:
        found = replayed(votes_of(read_study(data / study), "CGA", RIVALS[study]), iterations, seed)
        parts.append(REPLAY.format(title=TITLES[study], iterations=iterations, table=tables.table_6(study, found)))
        default_rows += tables.default_rows(study, found)
        kappas = tables.kappas(data / study, np.random.default_rng([seed, 6]))
        cells = [f"{one.estimate:.3f} ({one.low:.2f}-{one.high:.2f})" for one in kappas]
        kappa_rows.append([TITLES[study], f"{KAPPA[study]:.2f}", *cells])
    header = ["pair", "method", *(f"alpha = {level:g}" for level in LEVELS), "verdicts against CGA"]
    rest = REST.format(
        table_7=tables.table_7(found),  # of R1, the last study
        kappas=table(["pair", "paper", "by position on the screen", "by system"], kappa_rows),
        items=500,
        default=table(header, default_rows),
    )
    return [*parts, rest]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=REAL_STUDIES, help="the real studies")
    parser.add_argument("--iterations", type=int, default=1_000)
    parser.add_argument("--redraws", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    parser.add_argument("--write", action="store_true", help="save the page and its figure in docs")
    options = parser.parse_args()
    if options.iterations < 2 or options.redraws < 2:
        parser.error("--iterations and --redraws must be at least 2")
    figure = FIGURE if options.write else None
    text = page(options.data, options.iterations, options.redraws, options.seed, options.workers, figure)
    show(text, "dynamic_human_evaluation.md", options.write)


if __name__ == "__main__":
    main()

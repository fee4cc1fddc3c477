"""How often one label per item would have decided: prints a Markdown page; `--write` saves docs/annotator_draws.md.

python benchmarks/annotator_draws.py [--data FOLDER] [--draws 1000] [--seed 1] [--write]
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pages import REAL_STUDIES, show, table
from tiebreak.data.readers import read_study
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.kernels import bet_mixture
from tiebreak.records import OUTCOME_CODES

STUDIES = (("naturalness-v1", "V1"), ("naturalness-v2", "V2"))
ALPHA = 0.001

PAGE = """# One label per item, from whichever annotator

Ten annotators judged every item of these two studies (which of two sentences is more natural: that of CGA or that of
its rival). A campaign that asks one person per item gets one of many possible sequences of labels. Here {draws:,}
such campaigns are drawn: for every item the label of one of its ten annotators, at random, with the items in the fixed
random order in which `tiebreak compare --rule anytime` takes them. The anytime method at alpha = {alpha} decides as
soon as E ≥ 2/alpha = {threshold:,.0f}. Made by `python benchmarks/annotator_draws.py --write`, seed {seed}; the
intervals are Wilson intervals at 95%, for the share over draws from these labels.

{table}

Undecided campaigns have used all items. Items to a decision are over the decided campaigns only.
"""


@dataclass(frozen=True)
class Draws:
    """What the campaigns of one study came to: items to a decision, 0 where there was none, for each rival."""

    rival: str
    items: int
    mean_vote: float
    stops_for_cga: NDArray[np.int64]
    stops_for_rival: NDArray[np.int64]


HEADER = (
    "study",
    "items",
    "mean vote for CGA minus rival",
    "CGA found better",
    "95% interval",
    "rival found better",
    "items to a decision, median (10%, 90%)",
)


def votes_by_item(folder: Path) -> NDArray[np.int8]:
    """Outcomes (items, annotators) relative to CGA, the items in the fixed order of `compare` (label rule `mean`)."""
    study = read_study(folder)
    evidence = study_evidence(study, study.criteria, EvidenceSettings())
    (pair,) = evidence.criteria[0].pairs
    preferences = study.preferences
    if preferences is None or pair.system_a != "CGA":
        raise SystemExit(f"{folder} is not the study that this benchmark knows")
    cast: dict[str, list[int]] = {}
    for item, system_a, outcome in preferences.select("item", "system_a", "outcome").iter_rows():
        code = OUTCOME_CODES[outcome]
        cast.setdefault(item, []).append(code if system_a == "CGA" else -code)
    return np.array([cast[evidence.index.items[number]] for number in pair.items], dtype=np.int8)


def first_crossings(outcomes: NDArray[np.int8], log_threshold: float) -> NDArray[np.int64]:
    """For each row (draws, items) the number of items at the first E >= threshold, 0 if there is none."""
    wins = np.cumsum(outcomes > 0, axis=1, dtype=np.float64)
    losses = np.cumsum(outcomes < 0, axis=1, dtype=np.float64)
    ties = np.zeros_like(wins)
    prior = bet_mixture.default_prior()
    reached = np.array(
        [bet_mixture.log_e_from_counts(losses[k], ties[k], wins[k], prior) >= log_threshold for k in range(len(wins))]
    )
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, 0)


def draw_campaigns(votes: NDArray[np.int8], rival: str, draws: int, rng: np.random.Generator) -> Draws:
    """`draws` campaigns with one random label per item; votes (items, annotators)."""
    items, annotators = votes.shape
    chosen = rng.integers(annotators, size=(draws, items))
    outcomes = votes[np.arange(items), chosen]
    log_threshold = math.log(2 / ALPHA)
    return Draws(
        rival,
        items,
        float(votes.mean()),
        first_crossings(outcomes, log_threshold),
        first_crossings(-outcomes, log_threshold),
    )


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's 95% interval for a share."""
    z = 1.959964
    centre = (successes + z**2 / 2) / (trials + z**2)
    half = z / (trials + z**2) * math.sqrt(successes * (trials - successes) / trials + z**2 / 4)
    return centre - half, centre + half


def table_row(name: str, found: Draws) -> list[str]:
    draws = len(found.stops_for_cga)
    better = found.stops_for_cga[found.stops_for_cga > 0]
    low, high = wilson(better.size, draws)
    few, middle, many = np.quantile(better, [0.1, 0.5, 0.9]) if better.size else (math.nan,) * 3
    return [
        f"{name} (CGA against {found.rival})",
        f"{found.items:,}",
        f"{found.mean_vote:.2f}",
        f"{100 * better.size / draws:.1f}%",
        f"{100 * low:.1f} to {100 * high:.1f}%",
        f"{100 * np.mean(found.stops_for_rival > 0):.1f}%",
        f"{middle:.0f} ({few:.0f}, {many:.0f})",
    ]


def page(data: Path, draws: int, seed: int) -> str:
    rows = []
    for number, (name, rival) in enumerate(STUDIES):
        rng = np.random.default_rng([seed, number])
        rows.append(table_row(name, draw_campaigns(votes_by_item(data / name), rival, draws, rng)))
    return PAGE.format(draws=draws, alpha=ALPHA, threshold=2 / ALPHA, seed=seed, table=table(HEADER, rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=REAL_STUDIES, help="the real studies")
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="save docs/annotator_draws.md")
    options = parser.parse_args()
    missing = [name for name, _ in STUDIES if not (options.data / name).is_dir()]
    if missing:
        print(f"skipped: {options.data} does not hold {' and '.join(missing)}; say where they are with --data FOLDER")
        return
    show(page(options.data, options.draws, options.seed), "annotator_draws.md", options.write)


if __name__ == "__main__":
    main()

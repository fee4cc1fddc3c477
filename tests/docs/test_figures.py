"""Figures that the prose of the documentation states and no other test or benchmark covers."""

from __future__ import annotations

import math
import re

import numpy as np
from tests.docs.documents import REPOSITORY

from tiebreak.kernels import bet_mixture

CAMPAIGNS = 400
LABELS, EVERY = 1000, 50


def test_a_new_random_order_at_every_look_does_not_control_the_error() -> None:
    # docs/compare.md, "The order of items": two equal systems, 30 % ties, alpha = .05 in both directions, a look after
    # every 50 of 1,000 labels. A longer run of the same simulation (1,500 campaigns, seed 5) gave 33.1 % with a new
    # order at every look and 2.9 % in the recorded order: "one third", "3 %".
    prior = bet_mixture.default_prior()
    threshold = math.log(2 / 0.05)
    rng = np.random.default_rng(11)

    def decides(values: np.ndarray) -> bool:
        sup = max(bet_mixture.log_e_path(side * values, prior).max() for side in (1, -1))
        return bool(sup >= threshold)

    reordered = recorded = 0
    for _ in range(CAMPAIGNS):
        values = rng.choice([-1, 0, 1], p=[0.35, 0.3, 0.35], size=LABELS)
        reordered += any(decides(rng.permutation(values[:n])) for n in range(EVERY, LABELS + 1, EVERY))
        recorded += decides(values)
    error = 3 * math.sqrt(0.33 * 0.67 / CAMPAIGNS)
    assert abs(reordered / CAMPAIGNS - 0.33) < error
    assert recorded / CAMPAIGNS <= 0.05


def rows_of(page: str, heading: str) -> list[list[str]]:
    """Cells of the table below a heading of a page in docs that a benchmark writes."""
    text = (REPOSITORY / "docs" / page).read_text(encoding="utf-8")
    section = text[text.index(heading) :].split("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]


def test_the_readme_quotes_the_measured_labels() -> None:
    # "1.2 to 1.8 times": the column "default" at alpha = .05, over all differences.
    header, _, *rows = rows_of("power.md", "## Which prior for the bets, alpha = 0.05")
    ratios = [float(row[header.index("default")].split()[0]) for row in rows]
    assert "takes 1.2 to 1.8 times the labels" in (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert (round(min(ratios), 1), round(max(ratios), 1)) == (1.2, 1.8)


def test_the_readme_quotes_the_measured_errors() -> None:
    # "within the 5 % asked for": no design under its conditions errs by more, up to the luck of its simulation.
    for heading in ("## These items", "## Inputs like these", "## Intervals and equivalence"):
        for row in rows_of("validity.md", heading)[2:]:
            lowest = float(re.search(r"\(([\d.]+)%", row[3])[1])  # type: ignore[index]
            assert lowest <= 5.0, row
    clusters = next(row for row in rows_of("validity.md", "## What the conditions") if row[0].startswith("clusters"))
    page = (REPOSITORY / "docs" / "compare.md").read_text(encoding="utf-8")
    assert f"err in {float(clusters[3].split('%')[0]):.0f} % of campaigns" in page

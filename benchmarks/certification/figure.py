"""The picture of the page: every error rate of the grid as a dot, beside the level that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from benchmarks.certification.campaigns import ALPHAS
from benchmarks.certification.grid import RULES
from benchmarks.certification.shares import EVERY, FIFTIES, ONCE, TENS, Share

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = {EVERY: "#b2182b", TENS: "#ef8a62", FIFTIES: "#67a9cf", ONCE: "#2166ac"}
LEFT = 3e-4  # rates below are drawn here: a logarithmic axis has no zero
TICKS = (0.001, 0.01, 0.05, 0.2, 0.6)


def rates_figure(shares: Sequence[Share]) -> Figure:
    """One row per rule, one panel per level, one dot per world and way of looking."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    names = [name for name in RULES if any(share.rule == name for share in shares)]
    with mpl.rc_context({"font.size": 9}):
        figure = Figure(figsize=(9.5, 0.34 * len(names) + 1.5), layout="constrained", dpi=100)
        panels = figure.subplots(1, len(ALPHAS), sharey=True)
        for panel, alpha in zip(panels, ALPHAS, strict=True):
            for step, (look, color) in enumerate(COLORS.items()):
                own = [s for s in shares if (s.alpha, s.look) == (alpha, look)]
                heights = [names.index(share.rule) + 0.14 * (step - 1.5) for share in own]
                rates = np.maximum([share.rate for share in own], LEFT)
                panel.plot(rates, heights, "o", ms=3, mew=0, alpha=0.7, color=color)
                panel.plot([], [], "o", ms=5, color=color, label=look)
            panel.axvline(alpha, color="black", lw=1)
            panel.set_xscale("log")
            panel.set_xlim(LEFT * 0.8, 1)
            panel.set_xticks([LEFT, *TICKS], ["0", *(f"{tick:.1%}".replace(".0", "") for tick in TICKS)])
            panel.minorticks_off()
            panel.set_title(f"asked for: at most {alpha:.0%}")
            panel.set_xlabel("campaigns with a wrong verdict")
            panel.grid(axis="y", lw=0.3)
            panel.spines[["top", "right"]].set_visible(False)
        panels[0].set_yticks(range(len(names)), [RULES[name].title for name in names])
        panels[0].invert_yaxis()
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(COLORS), frameon=False, title="looks at")
    return figure

"""The section of the page about real studies."""

from __future__ import annotations

import textwrap

from benchmarks.certification.prose import REAL
from benchmarks.certification.real_data import ALPHA, Replay, Setting
from benchmarks.pages import table

HEADER = ("study", "claim", "labelled", "family", "metric", "criterion", "pairs", "decided without", "decided with",
          "items to a verdict without", "with", "saved", "clear", "opposed")  # fmt: skip


def real_section(replays: dict[Setting, list[list[Replay]]], skipped: str | None) -> str:
    """Text and table; or why there is none."""
    if skipped is not None:
        return f"## Real studies\n\nNot run: {skipped}.\n"
    rows = [row for setting, orders in replays.items() for row in _rows(setting, orders)]
    orders = len(next(iter(replays.values())))
    return REAL.format(
        orders=f"{orders} random orders" if orders > 1 else "a random order",
        table=table(HEADER, rows),
        words=_words(replays),
    )


def _rows(setting: Setting, orders: list[list[Replay]]) -> list[list[str]]:
    family = "one pair" if setting.multiplicity == "none" else "all"
    place = [setting.study, setting.target, f"{setting.labelled:.0%}", family, setting.metric]
    rows = []
    for of_orders in zip(*orders, strict=True):
        first = of_orders[0]
        rows.append(
            [
                *place,
                first.criterion,
                f"{first.pairs}",
                *(
                    f"{sum(getattr(r, name) for r in of_orders) / len(of_orders):.0f}"
                    for name in ("decided_without", "decided_with")
                ),
                *(
                    f"{sum(getattr(r, name) / r.pairs for r in of_orders) / len(of_orders):.1f}"
                    for name in ("without", "with_metric")
                ),
                _saved(list(of_orders)),
                f"{first.clear}",
                f"{sum(r.opposed for r in of_orders)}",
            ]
        )
    return rows


def saved_share(replays: list[Replay]) -> float:
    """Share of the labelled items that the metric saved."""
    return 1 - sum(r.with_metric for r in replays) / sum(r.without for r in replays)


def _saved(replays: list[Replay]) -> str:
    single = [saved_share([replay]) for replay in replays]
    return f"{saved_share(replays):.1%} ({min(single):.1%} to {max(single):.1%})"


def _words(replays: dict[Setting, list[list[Replay]]]) -> str:
    everything = [replay for orders in replays.values() for order in orders for replay in order]
    opposed, decided = sum(r.opposed for r in everything), sum(r.decided_with for r in everything)
    cells = [saved_share(list(of)) for orders in replays.values() for of in zip(*orders, strict=True)]
    sentence = "No verdict opposes" if opposed == 0 else f"{opposed:,} verdicts oppose"
    saved = f"a single metric saves {min(cells):.1%} to {max(cells):.1%} of the items, depending on the row"
    if max(cells) < 0.1:
        saved += (
            ": next to nothing, which is what its correlation with the humans' differences between two systems allows "
            "(the saving is about its square). The tables above show what a metric of correlation 0.5 or 0.9 saves"
        )
    verdicts = f"{sentence} a clear sign test, of {decided:,} verdicts at alpha = {ALPHA:.0%}"
    return "\n".join(textwrap.wrap(f"{verdicts}. On these studies {saved}.", 116, break_on_hyphens=False))

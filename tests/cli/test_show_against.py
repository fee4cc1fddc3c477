"""What the terminal shows of an evaluation against a reference."""

from __future__ import annotations

import io

from rich.console import Console

from tiebreak.cli.show_comparison import show_against
from tiebreak.comparison.against import evaluate_against

Pair = tuple[str, str, str, int, int, int]


def document(criteria: dict[str | None, list[Pair]], name: str = "mine", **settings: object) -> dict[str, object]:
    return {
        "tiebreak": "0.1.0",
        "study": {"name": name, "fingerprint": name},
        "terms": settings,
        "results": [
            {
                "criterion": criterion,
                "pairs": [
                    {
                        "system_a": a,
                        "system_b": b,
                        "verdict": verdict,
                        "wins": wins,
                        "ties": ties,
                        "losses": losses,
                        "labels": wins + ties + losses,
                        "p": {"a": wins / 10, "tie": ties / 10, "b": losses / 10},
                    }
                    for a, b, verdict, wins, ties, losses in pairs
                ],
            }
            for criterion, pairs in criteria.items()
        ],
    }


def shown(here: dict[str, object], there: dict[str, object]) -> str:
    out = io.StringIO()
    show_against(evaluate_against(here, there), Console(file=out, width=110, highlight=False))
    return out.getvalue()


def test_totals_errors_and_what_one_side_lacks_are_shown() -> None:
    here: dict[str | None, list[Pair]] = {
        "tone": [("[red]", "y", "a", 6, 2, 2), ("y", "z", "undecided", 4, 2, 4), ("[red]", "q", "a", 8, 1, 1)],
        "wit": [("y", "z", "a", 6, 2, 2)],
        "zest": [("y", "z", "a", 6, 2, 2)],
    }
    there: dict[str | None, list[Pair]] = {
        "tone": [("y", "[red]", "a", 6, 2, 2), ("y", "z", "b", 2, 2, 6), ("k", "[red]", "a", 8, 1, 1)],
        "wit": [("y", "z", "a", 6, 2, 2)],
        "depth": [("y", "z", "a", 6, 2, 2)],
    }
    text = shown(
        document(here, metrics=["rouge"], margin=None), document(there, "[all] labels", metrics=[], margin=0.1)
    )
    assert "margin: here none, reference 0.1" in text
    lines = [line.split() for line in text.splitlines()]
    # tone: one inversion, (.6, .2, .2) against (.2, .2, .6): .4 ln 3 = .439; one omission, (.4, .2, .4) against
    # (.2, .2, .6): .4 ln 2 + .4 ln(2/3) = .115; mean .277.
    assert ["tone", "2", "0", "(0.00)", "1", "(0.50)", "1", "(0.50)", "0", "(0.00)", "0.277", "100%"] in lines
    assert ["all", "3", "1", "(0.33)", "1", "(0.33)", "1", "(0.33)", "0", "(0.00)", "0.185", "100%"] in lines
    assert ["[red],", "y", "[red]", "is", "better", "y", "is", "better", "inversion", "0.439"] in lines
    assert ["y,", "z", "undecided", "z", "is", "better", "omission", "0.115"] in lines
    assert text.index("inversion  ") < text.index("omission  ")
    assert "Pairs only here (tone), 1, left out: [red] - q" in text
    assert "Pairs only in the reference (tone), 1, left out: k - [red]" in text
    assert "Criteria only here, 1, left out: zest" in text
    assert "Criteria only in the reference, 1, left out: depth" in text


def test_an_evaluation_against_itself_is_short() -> None:
    same = document({None: [("x", "y", "equivalent", 4, 2, 4)]})
    text = shown(same, same)
    assert "1 (1.00)" in text
    assert "left out" not in text


def test_many_errors_are_cut_worst_first_and_counted() -> None:
    missed: list[Pair] = [(f"s{k:02}", "t", "undecided", 4, 2, 4) for k in range(30)]
    real: list[Pair] = [(f"s{k:02}", "t", "a", 8, 1, 1) for k in range(30)]
    text = shown(
        document({None: [*missed, ("u", "t", "b", 2, 2, 6)]}), document({None: [*real, ("u", "t", "a", 6, 2, 2)]})
    )
    rows = [line.split() for line in text.splitlines() if line.split()[1:2] == ["t"]]
    assert [row[-2] for row in rows] == ["inversion"] + ["omission"] * 19
    assert rows[0][0] == "u,"
    assert "... and 11 more (--json)" in text

"""What the rule decides on real studies, beside the rule for every look; and whether it opposes clear evidence."""

from __future__ import annotations

import sys
from pathlib import Path

from scipy.special import bdtrc

from tiebreak.comparison.compare import compare
from tiebreak.data.readers import read_study

STUDIES = ("summeval", "llmfao", "pandalm", "naturalness-v1", "naturalness-v2", "wmt21-en-de")
_ALPHA = 0.05


HEADER = (
    "study",
    "pairs",
    "decided at every look",
    "decided in one look",
    "decided with raters any",
    "against a sign test",
)


def rows(data: Path) -> list[tuple[str | int, ...]]:
    """Pairs decided by both rules, and with ratings of anybody compared; verdicts that oppose an exact sign test which
    is significant after Bonferroni. Studies that are not there are left out.
    """
    found_rows: list[tuple[str | int, ...]] = []
    for name in STUDIES:
        if not (data / name).is_dir():
            print(f"{name} skipped: not in {data}; say where it is with --data FOLDER", file=sys.stderr)
            continue
        study = read_study(data / name)
        every, one = (
            [pair for found in compare(study, rule=rule).results for pair in found.pairs]
            for rule in ("anytime", "fixed")
        )
        across = [pair for found in compare(study, raters="any").results for pair in found.pairs]
        opposed = 0
        for pair in one:
            ahead = max(pair.wins, pair.losses)
            significant = bool(ahead) and bdtrc(ahead - 1, pair.wins + pair.losses, 0.5) <= _ALPHA / 2 / len(one)
            opposed += significant and pair.verdict == ("b" if pair.wins > pair.losses else "a")
        decided = [sum(pair.verdict != "undecided" for pair in pairs) for pairs in (every, one, across)]
        found_rows.append((name, len(one), *decided, opposed))
    return found_rows

"""Weak supervision: later checkpoints of a training write better than earlier ones (learning-to-compare, 3.1)."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tiebreak.scoring.evaluator.examples.corpus import Corpus, Writer
from tiebreak.scoring.evaluator.examples.pairs import BETTER, Pairs

SMALLEST_MARGIN = 0.1
"""Of the steps of the training: checkpoints that are nearer are not compared."""

CONVERGED_WITHIN = 0.02
"""A dev loss at most this share above the best of its run counts as almost converged."""


@dataclass(frozen=True, slots=True)
class WeakCounts:
    """`runs` with two checkpoints or more. Pairs of checkpoints: `used`, `near` (below the margin), `converged` (both
    almost). Pairs of texts: `identical` are left out. `without_loss`: runs of which nobody says whether they converged.
    """

    runs: int
    used: int
    near: int
    converged: int
    identical: int
    without_loss: int


def weak_pairs(corpus: Corpus, smallest: float = SMALLEST_MARGIN) -> tuple[Pairs, WeakCounts]:
    """Of every two checkpoints of a run that are far enough apart: the later one's texts before the earlier one's, in
    the same contexts. The margin of a pair is the difference of steps divided by all steps of the run.

    Never two checkpoints that had both almost converged: a dev loss within 2% of the best of the run, or after it.
    Without `total_steps` the last checkpoint's step counts as all.
    """
    runs: dict[tuple[int, str], list[int]] = defaultdict(list)
    for number, writer in enumerate(corpus.writers):
        if writer.about.run is not None and writer.about.step is not None:
            runs[writer.study, writer.about.run].append(number)
    texts: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, (writer, context) in enumerate(zip(corpus.writer, corpus.context, strict=True)):
        texts[int(writer)][int(context)].append(number)
    counts: Counter[str] = Counter()
    rows: list[tuple[int, int, float]] = []
    for run in runs.values():
        if len(run) < 2:
            continue
        counts["runs"] += 1
        checkpoints = [corpus.writers[number] for number in run]
        converged = almost_converged(checkpoints)
        counts["without_loss"] += all(one.about.dev_loss is None for one in checkpoints)
        steps = [one.about.step or 0 for one in checkpoints]
        total = max([one.about.total_steps or 0 for one in checkpoints] + steps)
        for earlier, later in itertools.permutations(range(len(run)), 2):
            if (steps[later], later) < (steps[earlier], earlier):
                continue  # each pair once; two systems of one step are too near, too
            margin = (steps[later] - steps[earlier]) / max(total, 1)
            if margin < smallest - 1e-9:
                counts["near"] += 1
            elif converged[earlier] and converged[later]:
                counts["converged"] += 1
            else:
                counts["used"] += 1
                rows += _between(corpus.texts, texts[run[later]], texts[run[earlier]], margin, counts)
    pairs = Pairs.of(
        [a for a, *_ in rows], [b for _, b, _ in rows], [BETTER] * len(rows), corpus.context, [m for *_, m in rows]
    )
    names = ("runs", "used", "near", "converged", "identical", "without_loss")
    return pairs, WeakCounts(*(counts[name] for name in names))


def almost_converged(checkpoints: Sequence[Writer]) -> list[bool]:
    """Of each checkpoint of a run, whether its dev loss is within 2% of the best, or it came after the best one.

    Where no checkpoint has a dev loss, of none.
    """
    losses = [(one.about.dev_loss, one.about.step or 0) for one in checkpoints if one.about.dev_loss is not None]
    if not losses:
        return [False] * len(checkpoints)
    best, at = min(losses)
    bound = best + CONVERGED_WITHIN * abs(best)
    return [
        (one.about.step or 0) > at or (one.about.dev_loss is not None and one.about.dev_loss <= bound)
        for one in checkpoints
    ]


def _between(
    texts: Sequence[str],
    later: Mapping[int, Sequence[int]],
    earlier: Mapping[int, Sequence[int]],
    margin: float,
    counts: Counter[str],
) -> list[tuple[int, int, float]]:
    found = []
    for context in later.keys() & earlier.keys():
        for a, b in itertools.product(later[context], earlier[context]):
            if texts[a] == texts[b]:
                counts["identical"] += 1
            else:
                found.append((a, b, margin))
    return sorted(found)

"""The human labels and metrics of each domain, and how an evaluation compares with the full human one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.kernels.partial_order import error_counts, error_types, kl_from_humans
from tiebreak.kernels.sign_flips import sign_test
from tiebreak.simulate.replay import OldLabels

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]

GAMMA = 0.05
ORDER = ">=<"  # verdicts in words of one character: 1, 0, -1
SUMMEVAL_CRITERIA = ("coherence", "consistency", "fluency", "relevance")
TRANSLATIONS = (
    "Facebook-AI",
    "HuaweiTSC",
    "Nemo",
    "Online-W",
    "UEdin",
    "VolcTrans-AT",
    "VolcTrans-GLAT",
    "eTranslation",
)
REFERENCES = ("ref-A", "ref-B", "ref-D")
SEGMENTS = 500
MISSING = 9  # a sign that is not there


@dataclass(frozen=True)
class Domain:
    """Human labels of a study as the paper uses them: means over annotators, compared.

    `counts` (K, 3): a preferred, tie, b preferred. `blocks`: neighbouring items that are resampled together, 1 where
    items are independent.
    """

    name: str
    study: Study
    criterion: str
    labels: OldLabels
    pairs: tuple[tuple[str, str], ...]
    counts: Floats
    items: int
    blocks: int = 1

    @property
    def human_verdicts(self) -> NDArray[np.int64]:
        """The sign test on all labels, two-sided at 5%, each pair by itself."""
        return sign_verdicts(self.counts)

    @property
    def human_sides(self) -> NDArray[np.int64]:
        """The side that all labels together favour, however little."""
        return np.sign(self.counts[:, 0] - self.counts[:, 2]).astype(np.int64)

    @cached_property
    def labelled(self) -> tuple[str, ...]:
        """Names of the items with human labels, in the order of the study."""
        named = self.labels.pairs[self.pairs[0]]
        return tuple(name for name in self.study.items["item"].to_list() if name in named)  # type: ignore[index]

    @cached_property
    def human_signs(self) -> Signs:
        """(n, K): 1, 0, -1 by labelled item and pair."""
        of_pairs = [self.labels.pairs[pair] for pair in self.pairs]
        return np.array([[of[name][0].outcome for of in of_pairs] for name in self.labelled], dtype=np.int8)


@dataclass(frozen=True)
class Outcome:
    """One evaluation beside the full human one: shares of the error types, divergence, share of the labels.

    `against_all`: share of pairs with a direction that all labels together contradict. `verdicts`: one of `>`, `=`, `<`
    by pair.
    """

    correct: float
    inversion: float
    omission: float
    insertion: float
    kld: float
    labels: float
    decided: float
    against_all: float
    verdicts: str

    @property
    def signs(self) -> NDArray[np.int64]:
        """(K,) the verdicts as 1, 0, -1."""
        return np.array([1 - ORDER.index(sign) for sign in self.verdicts], dtype=np.int64)


def sign_verdicts(counts: Floats) -> NDArray[np.int64]:
    """1, 0, -1 (...) from wins, ties, losses (..., 3): the exact sign test."""
    found = sign_test(counts[..., 0], counts[..., 2])
    return np.where(found.p_a <= GAMMA / 2, 1, np.where(found.p_b <= GAMMA / 2, -1, 0))


def asymptotic_verdicts(counts: Floats) -> NDArray[np.int64]:
    """The same by the normal approximation of the sign test, without a correction for continuity."""
    z = sign_test(counts[..., 0], counts[..., 2]).z
    return np.where(np.abs(z) >= ndtri(1 - GAMMA / 2), np.sign(z), 0).astype(np.int64)


def judged(of: Domain, verdicts: NDArray[np.int64], shares: Floats, labels: float) -> Outcome:
    """Compare with the full human evaluation. `verdicts` (K,); `shares` (K, 3) as estimated; `labels` spent."""
    types = error_counts(error_types(verdicts, of.human_verdicts)) / len(of.pairs)
    directed = verdicts != 0
    return Outcome(
        *(float(share) for share in types),
        kld=float(kl_from_humans(shares, of.counts).mean()),
        labels=labels / (of.items * len(of.pairs)),
        decided=float(directed.mean()),
        against_all=float((directed & (verdicts != of.human_sides)).mean()),
        verdicts="".join(ORDER[1 - verdict] for verdict in verdicts.tolist()),
    )


# ---- domains ---------------------------------------------------------------------------------------------------


def domain(name: str, study: Study, criterion: str, systems: Sequence[str], blocks: int = 1) -> Domain:
    """Only ratings and scores: without texts, identical outputs are asked about, as in the paper."""
    kept = study.select(systems=systems)
    if kept.ratings is None or kept.items is None:
        raise SystemExit(f"{name}: no ratings or no list of items")
    rated = kept.ratings.filter(pl.col("criterion") == criterion)
    listed = kept.items.select("item")
    bare = Study.from_tables(ratings=rated, scores=kept.scores, items=listed, settings=kept.settings, name=name)
    labels = OldLabels.of(bare, criterion)
    pairs = tuple(sorted(labels.pairs))
    counts = np.array([labels.totals(*pair) for pair in pairs], dtype=float)
    return Domain(name, bare, criterion, labels, pairs, counts, int(counts[0].sum()), blocks)


def domains(data: Path) -> dict[str, Domain]:
    """SummEval by criterion (experts); WMT21: the ten systems that are scored against reference A, and eleven systems
    on the first 500 labelled segments, without metrics.
    """
    summeval = read_study(data / "summeval").select(annotators=["expert_*"])
    found = {
        criterion: domain(f"summeval-{criterion}", summeval, criterion, summeval.systems)
        for criterion in SUMMEVAL_CRITERIA
    }
    wmt = read_study(data / "wmt21-en-de")  # its items are listed in the order of the documents
    if wmt.scores is None:
        raise SystemExit("wmt21-en-de has no scores")
    scored = wmt.scores.filter(pl.col("metric") == "bleu_refA")["system"].unique().to_list()
    found["wmt21"] = domain("wmt21", wmt, "mqm", sorted(scored), blocks=20)
    found["wmt21-eleven"] = eleven_systems(wmt, REFERENCES, SEGMENTS)
    return found


def eleven_systems(wmt: Study, references: Sequence[str], segments: int | None) -> Domain:
    """Eight translations and three references on the first labelled segments in document order; None: all of them."""
    if wmt.ratings is None or wmt.items is None:
        raise SystemExit("wmt21-en-de has no ratings or no list of items")
    rated = set(wmt.ratings["item"])
    first = [name for name in wmt.items["item"].to_list() if name in rated][:segments]
    few = Study.from_tables(
        ratings=wmt.ratings.filter(pl.col("item").is_in(first)),
        items=wmt.items.select("item").filter(pl.col("item").is_in(first)),
        settings=wmt.settings,
        name=wmt.name,
    )
    return domain("wmt21-eleven", few, "mqm", (*TRANSLATIONS, *references))


def metric_signs(of: Domain, metric: str) -> Signs | None:
    """(N, K): 1, 0, -1 by item and pair, or MISSING; the labelled items first, then the others that are scored.

    None where the metric does not cover every system.
    """
    scores = of.study.scores
    if scores is None or of.study.items is None:
        return None
    rows = scores.filter(
        (pl.col("metric") == metric) & (pl.col("criterion").is_null() | (pl.col("criterion") == of.criterion))
    )
    wide = rows.pivot(on="system", index="item", values="value")
    if not {name for pair in of.pairs for name in pair} <= set(wide.columns):
        return None
    known = set(of.labelled)
    names = [*of.labelled, *(name for name in of.study.items["item"].to_list() if name not in known)]
    wide = pl.DataFrame({"item": names}).join(wide, on="item", how="left", maintain_order="left")
    values = {name: wide[name].to_numpy() for pair in of.pairs for name in pair}
    signs = np.column_stack([np.sign(values[a] - values[b]) for a, b in of.pairs])
    return np.where(np.isnan(signs), MISSING, signs).astype(np.int8)


def tallies(signs: Signs) -> NDArray[np.bool_]:
    """(n, K, 3): which of a preferred, tie, b preferred each sign is."""
    return np.stack([signs == sign for sign in (1, 0, -1)], axis=-1)


def metric_counts(of: Domain, metric: str) -> Floats | None:
    """(K, 3) outcomes of a metric on all items that it scored; None where it does not cover every system."""
    signs = metric_signs(of, metric)
    return None if signs is None else tallies(signs).sum(axis=0).astype(np.float64)


def naive(of: Domain, counts: Floats, scale: float = 1.0) -> Outcome:
    """The metric's outcomes as if they were human; `scale`: counts multiplied, as if there were more items."""
    shares = (scale * counts + 1) / (scale * counts + 1).sum(axis=1, keepdims=True)
    return judged(of, sign_verdicts(scale * counts), shares, 0.0)

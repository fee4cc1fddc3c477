"""The two tasks, and what of them an evaluator may learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

import tiebreak
from tiebreak.data.study import Study
from tiebreak.scoring.evaluator.examples.corpus import Corpus, share_of

HELD_OUT = 0.2
SYSTEMS_HELD_OUT = 5


@dataclass(frozen=True)
class Split:
    """`learn`: what an evaluator is trained on; `held`: the studies of the inputs that are kept; `new`: systems of
    which it has read nothing."""

    learn: tuple[Study, ...]
    held: tuple[Study, ...]
    new: tuple[str, ...]


def summaries(data: Path) -> Study:
    """News summaries, rated by three experts on four criteria."""
    return tiebreak.read_study(data / "summeval").select(annotators=["expert_*"])


def sentences(data: Path) -> list[Study]:
    """Pairs of sentences, of which ten people each chose the more natural one."""
    return [tiebreak.read_study(data / name) for name in ("naturalness-v1", "naturalness-v2")]


def of_items(study: Study, items: set[str]) -> Study:
    """The rows of these items."""
    tables = {
        name: frame.filter(pl.col("item").is_in(list(items)))
        for name, frame in study.tables.items()
        if "item" in frame.columns
    }
    return replace(study, **tables, with_repeats={})


def split(studies: Sequence[Study], seed: int, new_systems: int) -> Split:
    """A fifth of the inputs is held out, and so many systems. Nothing is learned from inputs that share a text with
    one that is held out."""
    generator = np.random.default_rng(seed)
    new = tuple(generator.choice(sorted(studies[0].systems), new_systems, replace=False).tolist())
    corpus = Corpus.of(studies)
    sides: list[tuple[set[str], set[str]]] = [(set(), set()) for _ in studies]
    for (number, item), unit in zip(corpus.items, corpus.units, strict=True):
        sides[number][share_of(unit, seed) < HELD_OUT].add(item)
    held = tuple(of_items(study, kept) for study, (_, kept) in zip(studies, sides, strict=True))
    texts = pl.concat([outputs_of(study)["text"] for study in held]).unique()
    learn = []
    for study, (mine, _) in zip(studies, sides, strict=True):
        met = outputs_of(study).filter(pl.col("text").is_in(texts.implode()))["item"]
        known = [name for name in study.systems if name not in new]
        learn.append(of_items(study, mine - set(met)).select(systems=known))
    return Split(tuple(learn), held, new)


def outputs_of(study: Study) -> pl.DataFrame:
    assert study.outputs is not None
    return study.outputs


def split_of_summaries(data: Path, seed: int) -> Split:
    return split([summaries(data)], seed, SYSTEMS_HELD_OUT)


def split_of_sentences(data: Path, seed: int) -> Split:
    return split(sentences(data), seed, 0)

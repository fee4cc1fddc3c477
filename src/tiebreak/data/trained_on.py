"""Metrics and judges that learned from labels of the same study: what they say of these items proves nothing."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from tiebreak.data.schema import TableName
from tiebreak.data.signatures import Meaning
from tiebreak.records import Notice

EVALUATOR: Final = "evaluator|"
"""How the signature begins of what was trained on texts."""
LABELLED_TEXTS: Final = "texts_with_labels"
"""In what a signature stands for: hashes of the texts whose human labels were learned from, each with its context."""
LABELLED_WORDS: Final = "words_with_labels"
"""The same of long texts alone, whatever they are about."""
SEEN_TEXTS: Final = "texts"
"""All texts that anything was learned from, as LABELLED_TEXTS."""

_PEOPLE: Final[tuple[TableName, ...]] = ("preferences", "ratings")
_WHO: Final[Mapping[TableName, str]] = {"scores": "metric", "judge_preferences": "judge"}
_ENOUGH: Final = 2
"""Texts of an item that were learned from about something else: one may be what many systems say to anything."""
_TELLING: Final = 30
"""Characters from which on a text tells by itself what it belongs to: "Yes, of course." is said of much."""


@dataclass(frozen=True, slots=True)
class LearnedHere:
    """A metric or judge that learned from labels of `items` of a study; not `told`: nothing tells from which, and all
    that it speaks of count.
    """

    items: int
    told: bool

    @property
    def why(self) -> str:
        """What is the matter with it, as a predicate."""
        if self.told:
            return f"learned from labels of {self.items:,} of these items"
        return (
            "is an evaluator, and nothing here tells which labels it learned from (signatures.jsonl has no entry for "
            "it, or there are no outputs to tell items by)"
        )

    def notice(self, name: str) -> Notice:
        """The warning about a metric or judge of this name."""
        text = f"{name} {self.why}, so that it proves nothing here, and no result uses it; {self.instead}"
        return Notice("trained-here", text, {"name": name, "items": self.items})

    @property
    def instead(self) -> str:
        """What to do about it, as an imperative."""
        if self.told:
            return "train it with --folds, or on other items"
        return (
            "judge or score again with the evaluator, or bring along the outputs and signatures.jsonl of the study "
            "that it was in: tiebreak add and import csv read it where it lies beside the file"
        )


def context_hash(context: str, texts: Sequence[str] = ()) -> str:
    """16 hex digits of a context, or of texts in it whatever their order; equal up to Unicode and blanks.

    Without a context the texts alone tell items apart.
    """
    parts = [_plain(context), *sorted(_plain(text) for text in texts)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def contexts_of(items: pl.DataFrame | None) -> dict[str, str]:
    """By item: its context and its input, in the order in which people read them."""
    if items is None:
        return {}
    rows = items.select("item", pl.col("context", "input").fill_null("")).iter_rows()
    return {item: "\n".join(part for part in (context.strip(), text.strip()) if part) for item, context, text in rows}


@dataclass(frozen=True, slots=True)
class Learned:
    """Hashes of the texts whose labels an evaluator learned from: with their contexts, and of their words alone."""

    texts: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, meaning: Meaning) -> Learned:
        """Of what a signature stands for."""
        return cls(_hashes(meaning, LABELLED_TEXTS), _hashes(meaning, LABELLED_WORDS))

    def knows(self, item: ItemTexts) -> bool:
        """Whether labels of the item were learned from. It is told by a text and what that is about; where that was
        written otherwise, or is missing, by two long ones of its texts.
        """
        return not self.texts.isdisjoint(item.texts) or len(self.words & item.words) >= _ENOUGH


@dataclass(slots=True)
class ItemTexts:
    """The same hashes of all outputs of an item."""

    texts: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)


def texts_of_items(outputs: pl.DataFrame, items: pl.DataFrame | None) -> dict[str, ItemTexts]:
    """By item that has outputs."""
    contexts, found = contexts_of(items), defaultdict[str, ItemTexts](ItemTexts)
    for item, text in outputs.select("item", "text").iter_rows():
        found[item].texts.add(context_hash(contexts.get(item, ""), (text,)))
        found[item].words |= words_hash(text)
    return found


def words_hash(text: str) -> set[str]:
    """The hash of a text whatever it is about; none of a short one, which many say of anything."""
    return {context_hash("", (text,))} if len(text.strip()) >= _TELLING else set()


def trained_here(tables: Mapping[TableName, pl.DataFrame], signatures: Mapping[str, Meaning]) -> dict[str, LearnedHere]:
    """The metrics and judges that learned from labels of items of which they say something.

    Of items that people labelled in these tables. An evaluator that was trained in folds has a signature per fold, and
    each item is judged by one that did not learn from it: such a judge is not among them.
    """
    spoken = [
        (who, tables[table].filter(pl.col("signature").str.starts_with(EVALUATOR)))
        for table, who in _WHO.items() if table in tables
    ]  # fmt: skip
    if not any(rows.height for _, rows in spoken):
        return {}
    labelled = list(set().union(*(set(tables[name]["item"]) for name in _PEOPLE if name in tables)))
    outputs = tables.get("outputs")
    mine = pl.col("item").is_in(labelled)
    texts = {} if outputs is None else texts_of_items(outputs.filter(mine), tables.get("items"))
    learned = {name: Learned.of(meaning) for name, meaning in signatures.items()}
    found: dict[str, LearnedHere] = {}
    for who, rows in spoken:
        items: dict[str, set[str]] = defaultdict(set)
        untold: set[str] = set()
        for name, signature, item in rows.filter(mine).select(who, "signature", "item").unique().iter_rows():
            of = learned.get(signature)
            if of is None or (of.texts and outputs is None):
                untold.add(name)
                items[name].add(item)
            elif item in texts and of.knows(texts[item]):
                items[name].add(item)
        found |= {name: LearnedHere(len(of), name not in untold) for name, of in sorted(items.items())}
    return found


def tells_labels(signature: str, meaning: Meaning) -> bool:
    """Whether what a signature stands for still says which labels were learned from, if any can have been."""
    return not signature.startswith(EVALUATOR) or LABELLED_TEXTS in meaning


def without_labels(meaning: Meaning) -> Meaning:
    """What a signature stands for, without the labels that were learned from: for a study whose labels are all new."""
    return {name: value for name, value in meaning.items() if name not in (LABELLED_TEXTS, LABELLED_WORDS)}


def _hashes(meaning: Meaning, name: str) -> frozenset[str]:
    found = meaning.get(name)
    return frozenset(text for text in found if isinstance(text, str)) if isinstance(found, list) else frozenset()


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))

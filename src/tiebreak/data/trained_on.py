"""Metrics and judges that learned from labels of the same study: what they say of these items proves nothing."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import polars as pl

from tiebreak.data.passed_over import SPEAKERS, Kind
from tiebreak.data.schema import TableName
from tiebreak.data.signatures import Meaning
from tiebreak.records import Notice

TRAINED_HERE: Final = "trained-here"
"""The code of the notice about it."""
EVALUATOR: Final = "evaluator|"
"""How the signature begins of what was trained on texts."""
LABELLED_TEXTS: Final = "texts_with_labels"
"""In what a signature stands for: hashes of the texts whose human labels were learned from, each with its context."""
LABELLED_PAIRS: Final = "labelled_pairs"
"""The same of pairs of texts of one context."""
LABELLED_WORDS: Final = "words_with_labels"
"""The same of long texts alone, of those that belong to one context only."""
SEEN_TEXTS: Final = "texts"
"""All texts that anything was learned from, as LABELLED_TEXTS."""

_PEOPLE: Final[tuple[TableName, ...]] = ("preferences", "ratings")
_SIDES: Final[Mapping[TableName, tuple[tuple[str, str], ...]]] = {
    "scores": (("system", "sample"),),
    "judge_preferences": (("system_a", "sample_a"), ("system_b", "sample_b")),
}
_DIGITS: Final = 16
_TELLING: Final = 30
"""Characters from which on a text tells by itself what it belongs to: "Yes, of course." is said of much."""
_NO_CHANCE: Final = 0.05
"""A share of all items of which long texts are known, about something else: fewer may be what systems say to anything
that they will not do.
"""
_NO_CHANCE_OF_LABELLED: Final = 0.2
"""The same of the items that people labelled, by texts that no other of these has: whatever else there is in a study,
many items that nobody labelled or copies of the others, what was learned of the labelled ones shows.
"""

Why = Literal["learned", "unknown", "changed"]


@dataclass(frozen=True, slots=True)
class LearnedHere:
    """The metric or judge `name`, which may have learned from labels of `items` of a study. `why`: it `learned` from
    them; it is `unknown` what it learned from; or their texts have `changed` since it spoke of them, so that nobody can
    tell.
    """

    kind: Kind
    name: str
    items: int
    why: Why

    @property
    def who(self) -> str:
        """Its name as the subject of a sentence."""
        return f"the {self.kind} {self.name!r}"

    @property
    def words(self) -> str:
        """What is the matter with it, as a predicate."""
        if self.why == "learned":
            return f"learned from labels of {self.items:,} of these items"
        if self.why == "changed":
            return (
                f"is an evaluator, and the texts of {self.items:,} of the items that people labelled were changed "
                "after it had read them"
            )
        return (
            "is an evaluator, and nothing here tells which labels it learned from (signatures.jsonl has no entry for "
            "it, or there are no outputs to tell items by)"
        )

    @property
    def notice(self) -> Notice:
        """The warning about it."""
        text = f"{self.who} {self.words}, so that it proves nothing here, and no result uses it; {self.instead}"
        return Notice(TRAINED_HERE, text, {"name": self.name, "items": self.items})

    @property
    def instead(self) -> str:
        """What to do about it, as an imperative."""
        if self.why == "learned":
            return "train it with --folds, or bring other items into a study of their own"
        if self.why == "changed":
            return "judge or score again with the evaluator"
        return (
            "judge or score again with the evaluator, or bring along the outputs and signatures.jsonl of the study "
            "that it was in: tiebreak add and import csv read it where it lies beside the file"
        )


def context_hash(context: str, texts: Sequence[str] = ()) -> str:
    """16 hex digits of a context, or of texts in it whatever their order; equal up to forms of Unicode characters,
    blanks and characters that nobody sees.

    Without a context the texts alone tell items apart.
    """
    return _hash_of(_plain(context), sorted(_plain(text) for text in texts))


def texts_read(context: str, texts: Sequence[str]) -> str:
    """What a column `texts` has of texts that were read in a context: 32 hex digits. The first 16 are those of
    `context_hash`; the others tell a change of any character but blanks, and which text came first.
    """
    exact = _hash_of(_one_line(context), map(_one_line, texts))
    return context_hash(context, texts) + exact


def _hash_of(context: str, texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join([context, *texts]).encode("utf-8", "replace")).hexdigest()[:_DIGITS]


def _plain(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = "".join(one for one in text if unicodedata.category(one) != "Cf")
    return _one_line(text)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def contexts_of(items: pl.DataFrame | None) -> dict[str, str]:
    """By item: its context and its input, in the order in which people read them."""
    if items is None:
        return {}
    rows = items.select("item", pl.col("context", "input").fill_null("")).iter_rows()
    return {item: "\n".join(part for part in (context.strip(), text.strip()) if part) for item, context, text in rows}


@dataclass(frozen=True, slots=True)
class Learned:
    """Hashes of the texts whose labels an evaluator learned from: with their contexts, in pairs, and of their words
    alone.
    """

    texts: frozenset[str]
    pairs: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, meaning: Meaning) -> Learned:
        """Of what a signature stands for."""
        return cls(*(_hashes(meaning, name) for name in (LABELLED_TEXTS, LABELLED_PAIRS, LABELLED_WORDS)))

    def knows(self, item: ItemTexts) -> bool:
        """Whether labels of the item were learned from, as a text and what that is about tell."""
        return not self.texts.isdisjoint(item.texts)

    def may_know(self, item: ItemTexts) -> bool:
        """Whether that may be, as a long text of it tells: what it is about was written in another way, or nowhere."""
        return not self.words.isdisjoint(item.words)


def _hashes(meaning: Meaning, name: str) -> frozenset[str]:
    found = meaning.get(name)
    return frozenset(text for text in found if isinstance(text, str)) if isinstance(found, list) else frozenset()


@dataclass(slots=True)
class ItemTexts:
    """The same hashes of all outputs of an item."""

    texts: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)


def texts_of_items(outputs: pl.DataFrame, items: pl.DataFrame | None) -> dict[str, ItemTexts]:
    """By item that has outputs."""
    contexts, found = contexts_of(items), defaultdict[str, ItemTexts](ItemTexts)
    rows = list(outputs.select("item", "text").iter_rows())
    words = words_of((contexts.get(item, "") or f"\0{item}", text) for item, text in rows)
    for item, text in rows:
        found[item].texts.add(context_hash(contexts.get(item, ""), (text,)))
        found[item].words |= words.get(text, set())
    return found


def words_of(texts: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """By text that has one, the hash of its words: of long texts that belong to one context only. What is said of
    several tells none of them.

    texts: with what each belongs to.
    """
    of, contexts = {}, defaultdict[str, set[str]](set)
    for context, text in texts:
        if len(text.strip()) >= _TELLING:
            of[text] = context_hash("", (text,))
            contexts[of[text]].add(context)
    return {text: {name} for text, name in of.items() if len(contexts[name]) == 1}


def trained_here(
    tables: Mapping[TableName, pl.DataFrame], signatures: Mapping[str, Meaning], outputs: pl.DataFrame | None
) -> dict[str, LearnedHere]:
    """The metrics and judges that learned from labels of items of which they say something. `outputs` of these items
    tell which they are, be it of systems of which the tables say nothing.

    Of items that people labelled in these tables. An evaluator that was trained in folds has a signature per fold, and
    each item is judged by one that did not learn from it: such a judge is not among them.
    """
    spoken = {
        table: tables[table].filter(pl.col("signature").str.starts_with(EVALUATOR))
        for table in SPEAKERS if table in tables
    }  # fmt: skip
    if not any(rows.height for rows in spoken.values()):
        return {}
    labelled = pl.col("item").is_in(
        list(set().union(*(set(tables[name]["item"]) for name in _PEOPLE if name in tables)))
    )
    learned = {name: Learned.of(meaning) for name, meaning in signatures.items() if LABELLED_TEXTS in meaning}
    about = None if outputs is None else _Texts(outputs, labelled, tables.get("items"))
    found: dict[str, LearnedHere] = {}
    for table, rows in spoken.items():
        kind = SPEAKERS[table]
        for (name,), own in rows.sort(kind).group_by(kind, maintain_order=True):
            here = _learned(table, own, labelled, learned, about)
            found |= {} if here is None else {str(name): LearnedHere(kind, str(name), *here)}
    return found


class _Texts:
    """Outputs of items, as they are told by hashes: among all outputs, and among those of labelled items."""

    def __init__(self, outputs: pl.DataFrame, labelled: pl.Expr, items: pl.DataFrame | None) -> None:
        self.of_items = texts_of_items(outputs, items)
        outputs = outputs.filter(labelled)
        self.among_labelled = texts_of_items(outputs, items)
        self._context = contexts_of(items)
        rows = outputs.select("item", "system", "sample", "text").iter_rows()
        self._text = {tuple(key): text for *key, text in rows}

    def now(self, item: str, sides: Iterable[tuple[str, str | None]]) -> str | None:
        """`texts_read` of the outputs of a labelled item by these systems (and of these samples) as they are now; None:
        one is missing.
        """
        texts = [self._text.get((item, *side)) for side in sides]
        known = [text for text in texts if text is not None]
        return texts_read(self._context.get(item, ""), known) if len(known) == len(texts) else None


def _learned(
    table: TableName, rows: pl.DataFrame, labelled: pl.Expr, learned: Mapping[str, Learned], about: _Texts | None
) -> tuple[int, Why] | None:
    """Items and reason, by the rows of one metric or judge."""
    items: dict[Why, set[str]] = defaultdict(set)
    mine = rows.filter(labelled)
    for signature, item in _spoken(mine):
        of, said = learned.get(signature), None if about is None else about.of_items.get(item)
        if of is None or (of.texts and said is None):
            items["unknown"].add(item)
        elif said is not None and of.knows(said):
            items["learned"].add(item)
    for signature, item, then, now in _then_and_now(table, mine, about):
        of = learned.get(signature)
        if of is None or not of.texts:
            continue
        if then[:_DIGITS] in of.texts or then[:_DIGITS] in of.pairs:
            items["learned"].add(item)
        elif then != now:
            items["unknown" if now is None else "changed"].add(item)
    if about is not None:
        items["learned"] |= _by_words(_spoken(rows), _spoken(mine), learned, about)
    kinds: tuple[Why, ...] = ("unknown", "learned", "changed")
    return next(((len(items[why]), why) for why in kinds if items[why]), None)


def _spoken(rows: pl.DataFrame) -> list[tuple[str, str]]:
    """Signatures, and the items of which each speaks."""
    return list(rows.select("signature", "item").unique().iter_rows())


def _by_words(
    every: Sequence[tuple[str, str]], mine: Sequence[tuple[str, str]], learned: Mapping[str, Learned], about: _Texts
) -> set[str]:
    """Labelled items whose long texts were learned from, though what they are about was written in another way: where
    that is so of more items than chance makes it. `every`: signatures and items; `mine`: of labelled items.

    A text that only one of the labelled items has may be said of many others, and tell nothing.
    """

    def known(spoken: Sequence[tuple[str, str]], among: Mapping[str, ItemTexts]) -> set[str]:
        return {
            item
            for signature, item in spoken
            if (of := learned.get(signature)) and (said := among.get(item)) and of.may_know(said)
        }

    labelled, anywhere = {item for _, item in mine}, known(every, about.of_items)
    if len(anywhere) >= max(2, _NO_CHANCE * len({item for _, item in every})) or labelled <= anywhere:
        return labelled & anywhere
    found = known(mine, about.among_labelled)
    return found if len(found) >= max(2, _NO_CHANCE_OF_LABELLED * len(labelled)) else set()


def _then_and_now(
    table: TableName, rows: pl.DataFrame, about: _Texts | None
) -> Iterator[tuple[str, str, str, str | None]]:
    """Signature, item, and `texts_read` of the texts that it spoke of and of those that are there now."""
    if about is None:
        return
    sides = _SIDES[table]
    columns = [name for side in sides for name in side]
    for signature, item, then, *of in rows.filter(pl.col("texts").is_not_null()).select(
        "signature", "item", "texts", *columns
    ).unique().iter_rows():  # fmt: skip
        yield signature, item, then, about.now(item, zip(of[::2], of[1::2], strict=True))

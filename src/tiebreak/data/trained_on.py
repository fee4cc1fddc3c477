"""Metrics and judges that learned from labels of the same study: what they say of these items proves nothing."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import polars as pl

from tiebreak.data.schema import TableName
from tiebreak.data.signatures import Meaning

LABELLED_TEXTS: Final = "texts_with_labels"
"""In what a signature stands for: hashes of the texts whose human labels were learned from."""

_PEOPLE: Final[tuple[TableName, ...]] = ("preferences", "ratings")
_WHO: Final[Mapping[TableName, str]] = {"scores": "metric", "judge_preferences": "judge"}


def context_hash(context: str, texts: Sequence[str] = ()) -> str:
    """16 hex digits of a context, or of texts in it whatever their order; equal up to Unicode and outer blanks.

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


def trained_here(tables: Mapping[TableName, pl.DataFrame], signatures: Mapping[str, Meaning]) -> dict[str, int]:
    """The metrics and judges that learned from labels of items of which they say something: of how many such items.

    Of items that people labelled in these tables. An evaluator that was trained in folds has a signature per fold, and
    each item is judged by one that did not learn from it: such a judge is not among them.
    """
    learned = {name: frozenset(texts) for name, of in signatures.items() if (texts := _hashes(of))}
    outputs = tables.get("outputs")
    if not learned or outputs is None:
        return {}
    labelled = set().union(*(set(tables[name]["item"]) for name in _PEOPLE if name in tables))
    contexts = contexts_of(tables.get("items"))
    hashes: dict[str, set[str]] = defaultdict(set)
    for item, text in outputs.filter(pl.col("item").is_in(labelled)).select("item", "text").iter_rows():
        hashes[item].add(context_hash(contexts.get(item, ""), (text,)))
    found: dict[str, int] = {}
    for table, who in _WHO.items():
        if table not in tables:
            continue
        rows = tables[table].filter(pl.col("signature").is_in(list(learned)))
        items: dict[str, set[str]] = defaultdict(set)
        for name, signature, item in rows.select(who, "signature", "item").unique().iter_rows():
            if not learned[signature].isdisjoint(hashes.get(item, ())):
                items[name].add(item)
        found |= {name: len(of) for name, of in sorted(items.items())}
    return found


def _hashes(meaning: Meaning) -> list[str]:
    found = meaning.get(LABELLED_TEXTS)
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip())

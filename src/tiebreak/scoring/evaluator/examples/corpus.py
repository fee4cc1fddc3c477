"""The texts of studies, by context and by who wrote them; which of them go together, and which are set aside.

The items that an evaluator learned from are kept as hashes: a study is asked by them whether it knows the items.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tiebreak.data.provenance import contexts_of, item_keys, reference_texts, telling
from tiebreak.data.settings import SystemSettings
from tiebreak.data.study import Study
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.evidence.items import ItemIndex
from tiebreak.scoring.evaluator.examples.rows import Mask, OfTexts, Places, Some

REFERENCE: Final = "reference"
"""Who wrote the references of the table of items."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A system of one study, or the people who wrote references. `study`: its place among those that were read."""

    study: int
    name: str
    about: SystemSettings


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Texts (T,) with the numbers of their contexts and writers. Equal texts of one context and writer are there once.

    `contexts` (C,): input and context of each item, empty where it has none; `items` (C,): its study and name; `units`
    (C,): what must stay together when contexts are set aside: the name of the item's cluster, or its context, so that
    it is on one side in every study; contexts that are the same and share a text have one unit (of those without words:
    a labelled text). `repeats`: how many outputs and references were there before.
    """

    contexts: tuple[str, ...]
    items: tuple[tuple[int, str], ...]
    units: tuple[str, ...]
    writers: tuple[Writer, ...]
    texts: tuple[str, ...]
    context: Places
    writer: Places
    repeats: int

    @classmethod
    def of(cls, studies: Sequence[Study]) -> Corpus:
        """All outputs and references of the studies.

        Raises:
            UsageError: none of them has outputs.
        """
        items: dict[tuple[int, str], int] = {}
        writers: dict[tuple[int, str], tuple[int, Writer]] = {}
        labelled: dict[tuple[int, int, str], bool] = {}  # by context, writer and text
        contexts: list[str] = []
        units: list[str] = []
        repeats = 0
        for number, study in enumerate(studies):
            about, together = contexts_of(study.items), _units(number, study)
            for item, writer, text, has_labels in _writings(number, study):
                context = items.setdefault((number, item), len(items))
                if context == len(contexts):
                    contexts.append(about.get(item, ""))
                    units.append(together[item])
                place, _ = writers.setdefault((number, writer.name), (len(writers), writer))
                repeats += (context, place, text) in labelled
                labelled[context, place, text] = has_labels or labelled.get((context, place, text), False)
        if not labelled:
            raise UsageError("an evaluator learns from texts, and no study has outputs")
        told = telling((study, context) for (study, _), context in zip(items, contexts, strict=True))
        return cls(
            contexts=tuple(contexts),
            items=tuple(items),
            units=joined(units, told, ((context, text, known) for (context, _, text), known in labelled.items())),
            writers=tuple(writer for _, writer in writers.values()),
            texts=tuple(text for *_, text in labelled),
            context=np.array([context for context, *_ in labelled], dtype=np.intp),
            writer=np.array([writer for _, writer, _ in labelled], dtype=np.intp),
            repeats=repeats,
        )

    @property
    def is_reference(self) -> NDArray[np.bool_]:
        """Which texts (T,) people wrote as references."""
        return np.array([writer.about.reference for writer in self.writers])[self.writer]

    @property
    def reference(self) -> Places:
        """The number (T,) of the first reference for the context of each text; -1 where there is none.

        Of a text that is a reference itself, the first other one.
        """
        mine = self.is_reference
        given: dict[int, list[int]] = defaultdict(list)
        for number in np.flatnonzero(mine).tolist():
            given[int(self.context[number])].append(number)
        found = np.full(len(self.texts), -1, dtype=np.intp)
        for number, (context, text) in enumerate(zip(self.context.tolist(), self.texts, strict=True)):
            others = (one for one in given.get(context, ()) if not (mine[number] and self.texts[one] == text))
            found[number] = next(others, -1)
        return found

    def numbers_in(self, number: int, study: Study) -> dict[tuple[str, str, str | None], int]:
        """The number of each output of a study by item, system and sample; `number`: its place among those read."""
        if study.outputs is None:
            return {}
        known = {
            (self.items[context], self.writers[writer].name, text): place
            for place, (context, writer, text) in enumerate(zip(self.context, self.writer, self.texts, strict=True))
            if self.items[context][0] == number
        }
        rows = study.outputs.select("item", "system", "sample", "text").iter_rows()
        return {(item, system, sample): known[(number, item), system, text] for item, system, sample, text in rows}


def _writings(number: int, study: Study) -> Iterator[tuple[str, Writer, str, bool]]:
    """References, then outputs: the item, who wrote the text, the text, and whether people labelled it; `number`: the
    place of the study among those that are read.
    """
    if study.items is not None:
        people = Writer(number, REFERENCE, SystemSettings(reference=True))
        for item, reference, references in study.items.select("item", "reference", "references").iter_rows():
            for text in (*reference_texts(reference), *reference_texts(references)):
                yield item, people, text, False
    if study.outputs is None:
        return
    labelled: set[tuple[str, str, str | None]] = set()
    if study.ratings is not None:
        labelled |= set(study.ratings.select("item", "system", "sample").iter_rows())
    if study.preferences is not None:
        for side in ("a", "b"):
            labelled |= set(study.preferences.select("item", f"system_{side}", f"sample_{side}").iter_rows())
    for item, system, sample, text in study.outputs.select("item", "system", "sample", "text").iter_rows():
        writer = Writer(number, system, study.settings.systems.get(system, SystemSettings()))
        yield item, writer, text, (item, system, sample) in labelled


def _units(number: int, study: Study) -> dict[str, str]:
    """By item: its context where that tells its cluster from all others, else the study and an item of the cluster."""
    index, about = ItemIndex.of(study), contexts_of(study.items)
    clusters: dict[int, list[str]] = defaultdict(list)
    for item, cluster in zip(index.items, index.clusters, strict=True):
        clusters[int(cluster)].append(item)
    told = {cluster: {about.get(item, "") for item in items} for cluster, items in clusters.items()}
    often = Counter(text for texts in told.values() for text in texts)
    names = {
        cluster: next(iter(texts)) if len(texts) == 1 and "" not in texts and often[next(iter(texts))] == 1
        else f"{number}\0{clusters[cluster][0]}"
        for cluster, texts in told.items()
    }  # fmt: skip
    return {item: names[cluster] for cluster, items in clusters.items() for item in items}


def item_hashes(corpus: Corpus, parts: Sequence[OfTexts]) -> list[str]:
    """The keys of all items with a text in one of the rows, and of what stays together with them; sorted."""
    used = {number for rows in parts for number in np.unique(rows.texts).tolist()}
    units = {corpus.units[corpus.context[number]] for number in used}
    texts = defaultdict[int, list[str]](list)
    for context, text in zip(corpus.context.tolist(), corpus.texts, strict=True):
        texts[context].append(text)
    told = telling((study, context) for (study, _), context in zip(corpus.items, corpus.contexts, strict=True))
    return sorted(
        {
            key
            for number, (context, unit) in enumerate(zip(told, corpus.units, strict=True))
            if unit in units
            for key in item_keys(context, texts[number])
        }
    )


def joined(units: Sequence[str], contexts: Sequence[str], texts: Iterable[tuple[int, str, bool]]) -> tuple[str, ...]:
    """`units` (C,) of contexts, those with the same words made one: the first of their names, by the alphabet. Of
    contexts without words, those that share a labelled text are one.

    texts: the context of each (its number), the text, and whether people labelled it there. By the same words a study
    is told which items a model learned from (`item_keys`).
    """
    holders: dict[str, set[int]] = defaultdict(set)
    joining = set()
    for context, text, has_labels in texts:
        (name,) = item_keys(contexts[context], (text,))
        holders[name].add(context)
        if has_labels or contexts[context]:
            joining.add(name)
    numbers = {unit: number for number, unit in enumerate(sorted(set(units)))}
    of = np.array([numbers[unit] for unit in units], dtype=np.intp)
    pairs = [(of[min(holders[name])], of[other]) for name in joining for other in holders[name]]
    one, other = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    graph = coo_array((np.ones(one.size), (one, other)), shape=(len(numbers), len(numbers)))
    parts = connected_components(graph, directed=False)[1]
    names = sorted(numbers)
    first = {part: names[number] for number, part in reversed(list(enumerate(parts.tolist())))}
    return tuple(first[parts[number]] for number in of)


def share_of(text: str, seed: int) -> float:
    """A number in [0, 1) that depends on the text and the seed alone."""
    return int.from_bytes(hashlib.sha256(f"{seed}\0{text}".encode()).digest()[:7]) / 2**56


def fold_of(corpus: Corpus, folds: int, seed: int) -> NDArray[np.intp]:
    """The fold (C,) of each context: the one whose evaluator does not learn from it."""
    return np.array([int(folds * share_of(unit, seed)) for unit in corpus.units], dtype=np.intp)


def texts_of_systems(corpus: Corpus, systems: Sequence[str]) -> Mask:
    """Which texts (T,) are by these systems.

    Raises:
        UsageError: a name that no study knows.
    """
    known = [writer.name for writer in corpus.writers]
    for name in systems:
        if name not in known:
            raise UsageError(f"no system {name!r}{did_you_mean(name, known)}")
    return np.array([writer.name in systems for writer in corpus.writers], dtype=bool)[corpus.writer]


def within(rows: Some, texts: Mask) -> Some:
    """The rows that have all their texts among these (T,)."""
    return rows.only(np.asarray(texts[rows.texts].all(axis=1)))

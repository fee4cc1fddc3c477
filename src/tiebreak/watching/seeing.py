"""A look at a study: what it holds that the ledger does not know yet.

What is seen decides nothing here. A row that was seen keeps its first value: it may vanish from the study or change
there, which is told (`Moved`), and the ledger stays as it is.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.columns import completed
from tiebreak.data.schema import TableName
from tiebreak.data.study import Study, with_one_sample
from tiebreak.errors import InputError, Problem, UsageError, check_known, did_you_mean
from tiebreak.evidence.items import ItemIndex, name_numbers
from tiebreak.records import OUTCOME_CODES
from tiebreak.settings.shared import SMALLEST_ALPHA
from tiebreak.watching.ledger import TABLES, Beginning, Ledger, Look, Pair, matches, of_people, share_of_family
from tiebreak.watching.settings import WatchSettings

_DIGEST = 12  # hexadecimal digits of a text's hash: two texts of one item are the same by chance once in 10^14

LABEL_KEYS = {
    "preferences": ["item", "system_a", "system_b", "annotator", "criterion"],
    "ratings": ["item", "system", "annotator", "criterion"],
}


_JUDGED = (
    "item",
    pl.min_horizontal("system_a", "system_b").alias("system_a"),
    pl.max_horizontal("system_a", "system_b").alias("system_b"),
    "annotator",
    "criterion",
)
"""What a row of preferences is about, with the systems of the pair in the order of their names."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Labels that the ledger knows and the study holds no more (`vanished`), or otherwise (`changed`): the rows as the
    ledger has them; items that are in another cluster or batch than when they were listed (`regrouped`), and texts that
    changed; and pairs that have labels and are `untested`, because nothing of alpha is
    left for those that join."""

    vanished: pl.DataFrame
    changed: pl.DataFrame
    regrouped: tuple[str, ...]
    texts: int
    untested: tuple[Pair, ...]


def first_look(
    study: Study,
    settings: WatchSettings,
    *,
    at: str,
    seed: str,
    exclude: Sequence[str] = (),
    closed: Sequence[str] = (),
) -> Look:
    """The look that fixes everything. `seed` (hex): drawn by the machine.

    Raises:
        UsageError: a name that the study does not have, or a pool that it does not list.
        InputError: there are no two systems to compare.
    """
    tables = _tables(study, settings)
    _check_names(study, settings)
    _check_people(exclude, study.annotators)
    if settings.target == "items" and study.items is None and study.outputs is None:
        raise UsageError(
            "target is items, but the study lists no items: add items.csv or outputs.csv with every item of the pool"
        )
    if settings.items_per_pair is None and study.items is None and study.outputs is None:
        raise UsageError(
            "looks are planned for a number of items, and the study lists none but those with labels: say how many "
            "items of a pair will be labelled (--items-per-pair), or add items.csv or outputs.csv"
        )
    index = ItemIndex.of(study)
    counting = _without_people(tables, exclude)
    pairs = _pairs_with_labels(counting, settings) or _pairs_of_outputs(study, settings)
    if not pairs:
        what = (
            "there are no two systems to compare: no pair that is asked for has labels that count, or outputs of both"
        )
        raise InputError([Problem(study.name, what)])
    tables["items"] = _items(study, index)
    begun = Beginning(
        settings=settings,
        largest_cluster=int(np.unique(index.clusters, return_counts=True)[1].max(initial=1)),
        clustered_by=index.clustered_by,
        seed=seed,
    )
    _check_batches(tables["items"], closed)
    return Look(at, tables, tuple(pairs), tuple(pairs.values()), tuple(exclude), tuple(closed), begun)


def next_look(
    ledger: Ledger, study: Study, *, at: str, exclude: Sequence[str] = (), closed: Sequence[str] = ()
) -> tuple[Look, Moved]:
    """What is new in the study since the looks of the ledger, and what was moved in it.

    Raises:
        UsageError: a batch that no item is in.
    """
    settings = ledger.begun.settings
    known_people = {name for table in LABEL_KEYS for name in ledger.tables[table]["annotator"].unique()}
    _check_people([glob for glob in exclude if glob not in ledger.exclude], sorted({*study.annotators, *known_people}))
    seen = _tables(study, settings)
    seen["items"] = _items(study, ItemIndex.of(study))
    moved = _moved(ledger, seen)
    seen["items"] = _with_known_clusters(seen["items"], ledger.tables["items"])
    keys = {"items": ["item"], "outputs": ["item", "system"], **LABEL_KEYS}
    fresh = {name: _fresh(seen[name], ledger.tables[name], of) for name, of in keys.items()}
    known = set(ledger.pairs)
    counting = _without_people(seen, ledger.exclude)
    joining = {pair: count for pair, count in _pairs_with_labels(counting, settings).items() if pair not in known}
    if settings.alpha * share_of_family(len(ledger.families), settings.reserve) < SMALLEST_ALPHA:
        moved, joining = replace(moved, untested=tuple(joining)), {}
    _check_known_batches(ledger, seen["items"], closed)
    _check_batches(pl.concat([ledger.tables["items"].select(list(TABLES["items"])), fresh["items"]]), closed)
    look = Look(
        at,
        fresh,
        tuple(joining),
        tuple(joining.values()),
        tuple(glob for glob in exclude if glob not in ledger.exclude),
        tuple(batch for batch in closed if batch not in ledger.closed),
    )
    return look, moved


def _fresh(seen: pl.DataFrame, known: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    return seen.join(known, on=list(keys), how="anti", nulls_equal=True, maintain_order="left")


def _moved(ledger: Ledger, seen: Mapping[str, pl.DataFrame]) -> Moved:
    vanished, changed = [], []
    for name, keys in LABEL_KEYS.items():
        value = "outcome" if name == "preferences" else "value"
        known = ledger.tables[name]
        vanished.append(_label_names(_fresh(known, seen[name], keys), name))
        both = known.join(seen[name], on=keys, how="inner", nulls_equal=True, suffix="_now", maintain_order="left")
        changed.append(_label_names(both.filter(pl.col(value) != pl.col(f"{value}_now")), name))
    texts = ledger.tables["outputs"].join(seen["outputs"], on=["item", "system"], how="inner", suffix="_now")
    texts = texts.filter(pl.col("digest") != pl.col("digest_now"))
    regrouped = _regrouped(ledger.tables["items"], seen["items"])
    return Moved(pl.concat(vanished), pl.concat(changed), regrouped, texts.height, ())


def _regrouped(known: pl.DataFrame, now: pl.DataFrame) -> tuple[str, ...]:
    """Items whose cluster has other items now, among those that were listed, or whose batch is another one."""
    both = known.select(list(TABLES["items"])).join(now, on="item", how="inner", suffix="_now", maintain_order="left")
    kept, then, today = (pl.len().over(*of) for of in (["cluster", "cluster_now"], ["cluster"], ["cluster_now"]))
    moved = (kept < then) | (kept < today) | pl.col("batch").ne_missing(pl.col("batch_now"))
    return tuple(both.filter(moved)["item"])


def _without_people(tables: Mapping[str, pl.DataFrame], globs: Sequence[str]) -> dict[str, pl.DataFrame]:
    """The labels that count: which pairs are watched, and how many labels of an item count, is read from them."""
    return {name: tables[name].filter(~of_people(tables[name]["annotator"], globs)) for name in LABEL_KEYS}


def _label_names(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Item, what was judged, and annotator of labels of either kind."""
    what = pl.col("system") if name == "ratings" else pl.concat_str("system_a", pl.lit(" and "), "system_b")
    return frame.select("item", what.alias("judged"), "annotator")


def _check_names(study: Study, settings: WatchSettings) -> None:
    asked = [name for pair in settings.only_pairs for name in pair]
    asked += [*(settings.systems or ()), *(() if settings.baseline is None else (settings.baseline,))]
    check_known("system", asked, study.systems)
    if settings.criteria is not None:
        known = {*(study.settings.criteria or ()), *(name for name in study.criteria if name is not None)}
        check_known("criterion", settings.criteria, sorted(known))


def _check_people(globs: Sequence[str], people: Sequence[str]) -> None:
    """A look cannot be taken back: a name with a typing error must not stand in the ledger."""
    for glob in globs:
        if not matches(glob, people):
            raise UsageError(f"no annotator matches {glob!r}{did_you_mean(glob, people)}")


def _check_known_batches(ledger: Ledger, items: pl.DataFrame, closed: Sequence[str]) -> None:
    """Refuse to close a batch that only items have which an earlier look listed without it."""
    listed = ledger.tables["items"]
    fresh = items.join(listed, on="item", how="anti")
    known = {*listed["batch"].drop_nulls(), *fresh["batch"].drop_nulls()}
    for batch in closed:
        if batch not in known and batch in items["batch"]:
            raise UsageError(
                f"batch {batch!r} has no items: those that the study names in it were listed by an earlier look "
                "without it, and what a look wrote down stays. Name batches before the look that lists their items"
            )


def _check_batches(items: pl.DataFrame, closed: Sequence[str]) -> None:
    """A cluster enters as one, and so does a batch; a batch that is closed must be one."""
    check_known("batch", closed, sorted(items["batch"].drop_nulls().unique()))
    torn = items.group_by("cluster", maintain_order=True).agg(pl.col("batch").n_unique()).filter(pl.col("batch") > 1)
    if torn.height:
        message = (
            f"the items of {torn.height:,} clusters are in several batches (first: that of item {torn['cluster'][0]}): "
            "a cluster is one unit of evidence, so put its items into one batch"
        )
        raise InputError([Problem("items", message, column="batch")])


def _tables(study: Study, settings: WatchSettings) -> dict[str, pl.DataFrame]:
    """Outputs and labels of the systems and criteria that are watched, in the columns of the ledger.

    Raises:
        InputError: systems have several samples for an item, which the ledger does not tell apart.
    """
    study = with_one_sample(study, "watch")
    return {
        "outputs": _outputs(study, settings),
        "preferences": _preferences(study, settings),
        "ratings": _ratings(study, settings),
    }


def _items(study: Study, index: ItemIndex) -> pl.DataFrame:
    """All items with their clusters, named by one of their items, and batches."""
    frame = pl.DataFrame(
        {"item": list(index.items), "cluster": [index.items[number] for number in index.clusters.tolist()]},
        schema={"item": pl.String, "cluster": pl.String},
    )
    batches = pl.DataFrame(schema={"item": pl.String, "batch": pl.String})
    if study.items is not None:
        batches = study.items.select("item", "batch")
    return frame.join(batches, on="item", how="left", maintain_order="left").select(list(TABLES["items"]))


def _with_known_clusters(items: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """The items, where those of a cluster that is known have that one's name."""
    names = items.join(known.select("item", known="cluster"), on="item", how="inner", maintain_order="left")
    names = names.group_by("cluster", maintain_order=True).agg(pl.col("known").first())
    named = items.join(names, on="cluster", how="left", maintain_order="left")
    return named.with_columns(cluster=pl.coalesce("known", "cluster")).select(list(TABLES["items"]))


def _outputs(study: Study, settings: WatchSettings) -> pl.DataFrame:
    if study.outputs is None:
        return pl.DataFrame(schema=TABLES["outputs"])
    frame = _of_systems(study.outputs, settings, "system")
    texts = frame["text"].fill_null("")
    unique = texts.unique()
    digests = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST] for text in unique]
    digest = texts.replace_strict(unique, pl.Series(digests, dtype=pl.String), return_dtype=pl.String)
    return frame.select("item", "system", digest=digest)


def _preferences(study: Study, settings: WatchSettings) -> pl.DataFrame:
    if study.preferences is None:
        return pl.DataFrame(schema=TABLES["preferences"])
    frame = _of_systems(study.preferences, settings, "system_a", "system_b")
    turned = pl.col("system_a") > pl.col("system_b")
    code = pl.col("outcome").replace_strict(OUTCOME_CODES, return_dtype=pl.Int8)
    frame = frame.select(*_JUDGED, pl.when(turned).then(-code).otherwise(code).cast(pl.Int8).alias("outcome"))
    return _of_criteria(frame, settings)


def _ratings(study: Study, settings: WatchSettings) -> pl.DataFrame:
    if study.ratings is None:
        return pl.DataFrame(schema=TABLES["ratings"])
    return _of_criteria(_of_systems(study.ratings, settings, "system").select(list(TABLES["ratings"])), settings)


def _of_systems(frame: pl.DataFrame, settings: WatchSettings, *columns: str) -> pl.DataFrame:
    if settings.systems is None:
        return frame
    return frame.filter(pl.all_horizontal(pl.col(column).is_in(list(settings.systems)) for column in columns))


def _of_criteria(frame: pl.DataFrame, settings: WatchSettings) -> pl.DataFrame:
    return frame if settings.criteria is None else frame.filter(pl.col("criterion").is_in(list(settings.criteria)))


def _pairs_with_labels(tables: Mapping[str, pl.DataFrame], settings: WatchSettings) -> dict[Pair, int]:
    """Pairs that anybody compared, or rated both outputs of on an item, with the labels that most such items have (the
    smaller of two numbers that are as frequent)."""
    found: dict[Pair, int] = {}
    for (criterion,), frame in tables["ratings"].partition_by("criterion", as_dict=True).items():
        found |= {(str(criterion), a, b): count for (a, b), count in _rated_together(frame).items()}
    keys = ["criterion", "system_a", "system_b"]
    for (criterion, a, b), frame in tables["preferences"].partition_by(keys, as_dict=True).items():
        found[criterion, str(a), str(b)] = _usual(frame.group_by("item").len()["len"].to_numpy())
    return _oriented(found, settings)


def _rated_together(ratings: pl.DataFrame) -> dict[tuple[str, str], int]:
    """Pairs of systems both of whose outputs for some item one person rated, and how many did so for most items."""
    systems, items = sorted(ratings["system"].unique()), sorted(ratings["item"].unique())
    people = ratings.select("item", "annotator").unique(maintain_order=True).with_row_index("place")
    place = ratings.join(people, on=["item", "annotator"], how="left", maintain_order="left")["place"].to_numpy()
    item_of = name_numbers(people["item"], items)
    rated = np.zeros((len(systems), people.height), dtype=np.bool_)
    rated[name_numbers(ratings["system"], systems), place] = True
    found = {}
    for (i, a), (j, b) in itertools.combinations(enumerate(systems), 2):
        counts = np.bincount(item_of[rated[i] & rated[j]], minlength=len(items))
        if counts.any():
            found[a, b] = _usual(counts[counts > 0])
    return found


def _usual(counts: NDArray[np.integer]) -> int:
    """The most frequent of the counts, the smallest of equally frequent ones."""
    return int(np.bincount(counts).argmax())


def _pairs_of_outputs(study: Study, settings: WatchSettings) -> dict[Pair, int]:
    """Before any label: all pairs of systems, on the criteria that are asked for. One label of an item counts."""
    systems = sorted(set(settings.systems or (() if study.outputs is None else study.outputs["system"].unique())))
    criteria: Sequence[str | None] = settings.criteria or study.settings.criteria or (None,)
    return _oriented({(name, a, b): 1 for name in criteria for a, b in itertools.combinations(systems, 2)}, settings)


def _oriented(pairs: Mapping[Pair, int], settings: WatchSettings) -> dict[Pair, int]:
    """Those of the pairs that are asked for, the baseline as the second of its pairs, sorted, with the labels of an
    item that count."""
    only = {frozenset(pair) for pair in settings.only_pairs}
    found: dict[Pair, int] = {}
    for (criterion, a, b), count in pairs.items():
        asked = not only or frozenset((a, b)) in only
        if asked and settings.baseline in (None, a, b):
            pair = (criterion, b, a) if a == settings.baseline else (criterion, a, b)
            found[pair] = count if settings.per_item is None else settings.per_item
    return {pair: found[pair] for pair in sorted(found, key=lambda pair: (pair[0] or "", *pair[1:]))}


def with_labels(study: Study, ledger: Ledger) -> Study:
    """The study with the labels that count, each as it was seen first; edits and spans are no evidence of a look."""
    known = {name: ledger.tables[name].filter(pl.col("counts")).drop("look", "counts") for name in LABEL_KEYS}
    outcome = pl.col("outcome").replace_strict({code: name for name, code in OUTCOME_CODES.items()})
    preferences = _with_details(known["preferences"].with_columns(outcome), study.preferences, "preferences")
    ratings = _with_details(known["ratings"], study.ratings, "ratings")
    return replace(
        study,
        preferences=preferences if preferences.height else None,
        ratings=ratings if ratings.height else None,
        edits=None,
        spans=None,
        with_repeats={},
    )


def _with_details(labels: pl.DataFrame, rows: pl.DataFrame | None, table: TableName) -> pl.DataFrame:
    """Labels with what else the study still says of them: which text was on the left, time, and seconds."""
    if rows is None or not labels.height:
        return completed(labels, table)
    details = [name for name in ("left", "seconds", "decided_at") if name in rows.columns]
    if table == "preferences":
        rows = rows.select(*_JUDGED, *details)
    said = rows.select(*LABEL_KEYS[table], *details)
    found = labels.join(said, on=LABEL_KEYS[table], how="left", nulls_equal=True, maintain_order="left")
    return completed(found, table)

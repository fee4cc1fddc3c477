"""What is drawn at random when outputs are paired.

Pairs outputs of generators without inputs: same attributes, similar length, no text twice.

As Thorleiksdóttir et al. (2022, 5.3) prepared their comparisons. Every two systems are paired on items of their own,
which serves any number of systems: an output may be in one pair with each other system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.problems import ProblemLog
from tiebreak.data.study import Study
from tiebreak.data.validation import BLANK
from tiebreak.errors import InputError, Problem, UsageError
from tiebreak.kernels.length_matching import LengthTolerance, has_partner, match_lengths
from tiebreak.pairing.sources import PairingSource, check_match, read_outputs
from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting


@dataclass(frozen=True, slots=True)
class SampledPairs:
    """`sample`: pairs kept of every two systems, None for all. Raises `UsageError` for impossible values."""

    sample: int | None = setting(
        None,
        Setting(
            "Number of pairs of every two systems to keep, at random",
            at_least=1,
            at_most=shared.MOST_LABELS_IN_ALL,
            default_words="all",
        ),
    )
    seed: int = setting(
        0,
        Setting("Seed of partners of equal fit, the order and the sample", at_least=0, at_most=shared.LARGEST_SEED),
    )

    def __post_init__(self) -> None:
        check_settings(self)


LengthUnit = Literal["words", "characters"]


@dataclass(frozen=True, slots=True)
class PairingSettings:
    """`match`: attributes that the two texts of a pair must share, compared without regard to case and outer spaces.
    `tolerance` of the lengths in `unit`. `sample`: pairs kept for every two systems, None for all."""

    match: tuple[str, ...] = ()
    tolerance: LengthTolerance = field(default_factory=lambda: LengthTolerance(0.2, relative=True))
    unit: LengthUnit = "words"
    sample: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SourceCounts:
    """What happened to the rows of one file before pairing; `read` = `blank` + `no_attribute` + `repeated` + `usable`.

    `no_attribute`: rows that lack a value of an attribute. `repeated`: texts that an earlier row has, but for spaces.
    """

    source: PairingSource
    read: int
    blank: int
    no_attribute: int
    repeated: int
    usable: int


@dataclass(frozen=True, slots=True)
class SideCounts:
    """The usable texts of one system in its pairing with another; they add up to `unmatched_attributes` +
    `too_far` + `left_over` + `paired`.

    `unmatched_attributes`: the other system has no text with these attributes. `too_far`: it has some, but none of
    similar length. `left_over`: it has, but they went to others. `kept`: of the pairs, after sampling.
    `mean_length_before`: of all usable texts; `mean_length`: of those kept.
    """

    system: str
    unmatched_attributes: int
    too_far: int
    left_over: int
    paired: int
    kept: int
    mean_length_before: float
    mean_length: float


@dataclass(frozen=True, slots=True)
class PairCounts:
    """The pairing of two systems. Of the pairs kept: `longer` is how many have the longer text on each side,
    `identical` how many the same text on both."""

    sides: tuple[SideCounts, SideCounts]
    longer: tuple[int, int]
    identical: int


@dataclass(frozen=True, slots=True)
class Pairing:
    """The study made, and the account of what went into it. `lone_values`: per attribute, the values that only some of
    the files have, with the systems that do."""

    study: Study
    sources: tuple[SourceCounts, ...]
    pairs: tuple[PairCounts, ...]
    lone_values: tuple[tuple[str, str, tuple[str, ...]], ...]


def pair_outputs(
    sources: Sequence[PairingSource], settings: PairingSettings, text_column: str | None = None, name: str = "study"
) -> Pairing:
    """Reads the files and pairs every two systems.

    Raises InputError with all problems of all files, and where no two texts can be paired; UsageError for settings
    that cannot be and columns that a file does not have.
    """
    check_match(settings.match)
    if settings.sample is not None and settings.sample < 1:
        raise UsageError(f"--sample must be at least 1, but it is {settings.sample}")
    frames, counts = [], []
    log = ProblemLog()
    for source in sources:
        with log.taking_over():
            usable, count = _usable(read_outputs(source, text_column, settings.match), source, settings)
            frames.append(usable)
            counts.append(count)
    log.raise_if_any()
    rng = np.random.default_rng(settings.seed)
    made = [
        _pair_two(frames[a], frames[b], sources[a], sources[b], settings, rng)
        for a, b in combinations(range(len(sources)), 2)
    ]
    study = _study([rows for rows, _ in made], settings.match, name)
    return Pairing(study, tuple(counts), tuple(pair for _, pair in made), _lone_values(frames, sources, settings.match))


def _usable(raw: pl.DataFrame, source: PairingSource, settings: PairingSettings) -> tuple[pl.DataFrame, SourceCounts]:
    """The rows to pair, with `pair:length` and `pair:group`, the attributes as they are compared.

    Columns of our own begin with "pair:", so that an attribute may be called length.
    """
    present = raw.filter(~pl.col("text").str.contains(BLANK))
    attributes = [pl.col(name) for name in settings.match]
    known = present.filter(pl.all_horizontal(column.is_not_null() for column in attributes)) if attributes else present
    plain = pl.col("text").str.replace_all(r"[\s\p{Z}]+", " ").str.strip_chars()
    usable = known.filter(plain.is_first_distinct())
    words = pl.col("text").str.extract_all(r"[^\s\p{Z}]+").list.len()
    length = words if settings.unit == "words" else pl.col("text").str.strip_chars().str.len_chars()
    group = pl.struct(column.str.to_lowercase() for column in attributes) if attributes else pl.lit(0)
    usable = usable.with_columns(length.cast(pl.Int64).alias("pair:length"), group.alias("pair:group"))
    heights = [frame.height for frame in (raw, present, known, usable)]
    if not heights[3]:
        lacking = f" or lack {' or '.join(settings.match)}" if settings.match else ""
        raise InputError([Problem(source.file, f"no text to pair: all {heights[0]:,} rows are blank{lacking}")])
    return usable, SourceCounts(
        source, heights[0], heights[0] - heights[1], heights[1] - heights[2], heights[2] - heights[3], heights[3]
    )


def _pair_two(
    first: pl.DataFrame,
    second: pl.DataFrame,
    source_a: PairingSource,
    source_b: PairingSource,
    settings: PairingSettings,
    rng: np.random.Generator,
) -> tuple[pl.DataFrame, PairCounts]:
    """One row a pair, in random order: text, source_line and system of both sides, and the attributes of the first."""
    rows_a, rows_b = _groups(first), _groups(second)
    lengths = first["pair:length"].to_numpy(), second["pair:length"].to_numpy()
    shared = [group for group in rows_a if group in rows_b]
    matches = [np.empty((0, 2), dtype=np.intp)]
    near = [0, 0]
    for group in shared:
        of_a, of_b = rows_a[group], rows_b[group]
        a, b = lengths[0][of_a], lengths[1][of_b]
        near[0] += int(has_partner(a, b, settings.tolerance).sum())
        near[1] += int(has_partner(b, a, settings.tolerance).sum())
        pairs = match_lengths(a, b, settings.tolerance, rng)
        matches.append(np.stack([of_a[pairs[:, 0]], of_b[pairs[:, 1]]], axis=1))
    matched = np.concatenate(matches)
    if not len(matched):
        raise InputError([_nothing_paired(source_a, source_b, settings, any_shared=bool(shared))])
    kept = rng.permutation(matched)[: settings.sample]
    sides = tuple(
        _side(source.system, [rows[group] for group in shared], length, near[k], matched, kept[:, k])
        for k, (source, rows, length) in enumerate(((source_a, rows_a, lengths[0]), (source_b, rows_b, lengths[1])))
    )
    left, right = first[kept[:, 0]], second[kept[:, 1]]
    difference = lengths[0][kept[:, 0]] - lengths[1][kept[:, 1]]
    counts = PairCounts(
        (sides[0], sides[1]),
        (int((difference > 0).sum()), int((difference < 0).sum())),
        int((left["text"] == right["text"]).sum()),
    )
    table = left.select(
        *settings.match,
        pl.lit(source_a.system).alias("pair:system_a"),
        pl.col("text").alias("pair:text_a"),
        pl.col("source_line").alias("pair:line_a"),
        pl.lit(source_b.system).alias("pair:system_b"),
        right["text"].alias("pair:text_b"),
        right["source_line"].alias("pair:line_b"),
    )
    return table, counts


def _groups(frame: pl.DataFrame) -> dict[object, NDArray[np.intp]]:
    """Rows by attributes, in the order of their first rows."""
    grouped = frame.with_row_index("pair:row").group_by("pair:group", maintain_order=True).agg("pair:row")
    keys = [tuple(key.values()) if isinstance(key, dict) else key for key in grouped["pair:group"].to_list()]
    return {key: np.array(rows, dtype=np.intp) for key, rows in zip(keys, grouped["pair:row"].to_list(), strict=True)}


def _side(
    system: str,
    shared: Sequence[NDArray[np.intp]],
    lengths: NDArray[np.int64],
    near: int,
    matched: NDArray[np.intp],
    kept: NDArray[np.intp],
) -> SideCounts:
    in_shared = sum(len(rows) for rows in shared)
    return SideCounts(
        system=system,
        unmatched_attributes=len(lengths) - in_shared,
        too_far=in_shared - near,
        left_over=near - len(matched),
        paired=len(matched),
        kept=len(kept),
        mean_length_before=float(lengths.mean()),
        mean_length=float(lengths[kept].mean()),
    )


def _nothing_paired(
    source_a: PairingSource, source_b: PairingSource, settings: PairingSettings, *, any_shared: bool
) -> Problem:
    files = f"{source_a.file} and {source_b.file}"
    if not any_shared:
        names = ", ".join(settings.match)
        what = f"no text of one has the attributes ({names}) of a text of the other"
        return Problem(files, f"{what}; compare their values, or leave attributes out of --match")
    which = "texts with the same attributes" if settings.match else "texts"
    return Problem(files, f"no two {which} are of similar length; raise --length-tolerance")


def _study(pairs: Sequence[pl.DataFrame], match: Sequence[str], name: str) -> Study:
    """Items item0001, item0002, ... over all pairs, with the attributes as columns of the items."""
    rows = pl.concat(pairs).with_row_index("pair:number", offset=1)
    width = max(4, len(str(rows.height)))
    rows = rows.with_columns(pl.format("item{}", pl.col("pair:number").cast(pl.String).str.zfill(width)).alias("item"))
    outputs = pl.concat(
        rows.select(
            "pair:number",
            "item",
            pl.col(f"pair:system_{side}").alias("system"),
            pl.col(f"pair:text_{side}").alias("text"),
            pl.col(f"pair:line_{side}").alias("source_line"),
        )
        for side in ("a", "b")
    )
    outputs = outputs.sort("pair:number", maintain_order=True).drop("pair:number")
    return Study.from_tables(items=rows.select("item", *match), outputs=outputs, name=name)


def _lone_values(
    frames: Sequence[pl.DataFrame], sources: Sequence[PairingSource], match: Sequence[str]
) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """(attribute, value, systems that have it) for the values that not every file has."""
    lone = []
    for name in match:
        values = [dict.fromkeys(frame[name].str.to_lowercase().to_list()) for frame in frames]
        for value in dict.fromkeys(value for of_file in values for value in of_file):
            having = tuple(source.system for source, of_file in zip(sources, values, strict=True) if value in of_file)
            if len(having) < len(sources):
                lone.append((name, str(value), having))
    return tuple(lone)

"""Annotators whose labels say nothing: at chance, in a hurry, or always the same answer."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import Final

import numpy as np
import polars as pl
from scipy.special import bdtr, bdtrc

from tiebreak.checks.labels import Labels
from tiebreak.checks.thresholds import (
    ABOVE_CHANCE,
    BELOW_TYPICAL,
    CONSTANT_CHANCE,
    FEWEST_ANSWERS,
    FEWEST_SHARED,
    HURRY_FRACTION,
    HURRY_SECONDS,
    LEAST_CORRELATION,
)
from tiebreak.numbers import in_percent, listed_names
from tiebreak.records import Notice

_UPPER: Final = 3.09  # standard normal quantile of 99.9%
_SHOWN: Final = 5


def _advice(labels: Labels) -> str:
    """A campaign's own verdict leaves nobody out."""
    option = "compare with --own-analysis --exclude" if labels.of == "campaign" else "--exclude"
    return f"; look at their labels, and see what changes without them ({option})."


def at_chance(labels: Labels) -> Iterable[Notice]:
    """Annotators who agree with the others no more than people who do not look."""
    entries = [*_preferences_at_chance(labels.as_written), *_ratings_at_chance(labels.ratings)]
    if entries:
        yield _notice(
            "annotators-at-chance", "agree with the others no more than chance would", entries, _advice(labels)
        )


def _preferences_at_chance(frame: pl.DataFrame | None) -> list[tuple[str, str]]:
    """Agreement with the majority of the others on the same item and pair, against independent answers.

    Chance is what two people with these shares of answers reach without looking, so that easy items, on which all
    choose one system, do not look like agreement. What is typical is measured on the others, as one person of few at
    chance lowers the share of all; on everybody, where the others gave fewer labels than that person.
    """
    if frame is None:
        return []
    shared = _against_majority(frame)
    if shared.height == 0:
        return []
    labels, agreements = shared.height, int((shared["own"] == shared["majority"]).sum())
    own, majority = pl.col("own"), pl.col("majority")
    # The chance is summed in one order, so that equal answers have equal figures.
    chances = [(own == code).sum() / pl.len() * ((majority == code).sum() / pl.len()) for code in (-1, 0, 1)]
    people = shared.group_by("annotator").agg(
        count=pl.len(), agreed=(own == majority).sum(), chance=chances[0] + chances[1] + chances[2]
    )
    people = people.filter(pl.col("count") >= FEWEST_SHARED)
    entries = []
    for name, count, agreed, chance in people.iter_rows():
        # bdtrc(k, n, p) = P(X > k); a chance of 1 means constant answers, which are another finding.
        above = float(bdtrc(agreed - 1, count, chance)) if agreed and chance < 1 else 1.0
        others = labels - count >= count
        typical = (agreements - agreed) / (labels - count) if others else agreements / labels
        below = float(bdtr(agreed, count, typical))
        if above > ABOVE_CHANCE and below < BELOW_TYPICAL:
            agreeing = f"{in_percent(agreed / count)} of {count:,}"
            figures = f"{agreeing}, chance {in_percent(chance)}, {'others' if others else 'all'} {in_percent(typical)}"
            entries.append((below, str(name), figures))
    return [(name, figures) for _, name, figures in sorted(entries)]


def _against_majority(frame: pl.DataFrame) -> pl.DataFrame:
    """Per label: `annotator`, `own` outcome and the others' `majority` (1, 0, -1 for the system first by name).

    Labels on which the others have no single most frequent answer are left out.
    """
    flipped = pl.col("system_a") > pl.col("system_b")
    value = pl.col("outcome").replace_strict({"a": 1, "tie": 0, "b": -1}, return_dtype=pl.Int64)
    labels = frame.select(
        "annotator",
        "item",
        "criterion",
        first=pl.min_horizontal("system_a", "system_b"),
        second=pl.max_horizontal("system_a", "system_b"),
        first_sample=pl.when(flipped).then("sample_b").otherwise("sample_a"),
        second_sample=pl.when(flipped).then("sample_a").otherwise("sample_b"),
        own=pl.when(flipped).then(-value).otherwise(value),
    )
    where = ["item", "criterion", "first", "second", "first_sample", "second_sample"]
    labels = labels.filter(pl.len().over(where) > 1)
    if labels.height == 0:  # as where one person labels each item, which needs no further queries
        return labels.select("annotator", "own", majority="own")
    own = pl.col("own")
    counts = {code: ((own == code).sum().over(where) - (own == code)) for code in (1, 0, -1)}
    labels = labels.with_columns(wins=counts[1], ties=counts[0], losses=counts[-1])
    most = pl.max_horizontal("wins", "ties", "losses")
    leaders = pl.sum_horizontal(pl.col(name) == most for name in ("wins", "ties", "losses"))
    lead = pl.when(pl.col("wins") == most).then(1).when(pl.col("ties") == most).then(0).otherwise(-1)
    return labels.filter((most > 0) & (leaders == 1)).select("annotator", "own", majority=lead.cast(pl.Int64))


def _ratings_at_chance(frame: pl.DataFrame | None) -> list[tuple[str, str]]:
    """Correlation of ratings with the mean of the others' on the same output, criteria centred."""
    if frame is None:
        return []
    cell = ["item", "system", "sample", "criterion"]
    others = (pl.col("value").sum().over(cell) - pl.col("value")) / (pl.len().over(cell) - 1)
    shared = frame.filter(pl.len().over(cell) > 1).select("annotator", "criterion", own="value", others=others)
    by = ["annotator", "criterion"]
    shared = shared.with_columns((pl.col(name) - pl.col(name).mean().over(by)) for name in ("own", "others"))
    shared = shared.filter(pl.len().over("annotator") >= FEWEST_SHARED)
    entries = []
    for (name,), part in shared.partition_by("annotator", as_dict=True).items():
        own, other = part["own"].to_numpy(), part["others"].to_numpy()
        spread = float(np.sqrt((own @ own) * (other @ other)))
        if spread <= 0:
            continue
        correlation = float(own @ other) / spread
        if correlation + _UPPER / np.sqrt(part.height) < LEAST_CORRELATION:
            entries.append((correlation, str(name), f"correlation {correlation:.2f} over {part.height:,} ratings"))
    return [(name, figures) for _, name, figures in sorted(entries)]


def in_a_hurry(labels: Labels) -> Iterable[Notice]:
    """Annotators who answer in a fraction of the time that the others take."""
    frames = [frame for frame in (labels.as_written, labels.ratings) if frame is not None]
    if not frames:
        return
    timed = pl.concat(frame.select("annotator", "seconds").drop_nulls() for frame in frames)
    speeds = timed.group_by("annotator").agg(pl.col("seconds").median(), count=pl.len())
    speeds = speeds.filter(pl.col("count") >= FEWEST_ANSWERS).sort("seconds", "annotator")
    if speeds.height < 2:
        return
    usual = median(speeds["seconds"])
    limit = min(HURRY_FRACTION * usual, HURRY_SECONDS)
    entries = [
        (str(row["annotator"]), f"{row['seconds']:.1f} s over {row['count']:,} labels")
        for row in speeds.iter_rows(named=True)
        if row["seconds"] < limit
    ]
    if entries:
        advice = f"; half of the annotators take {usual:.1f} s or more."
        yield _notice("annotators-in-a-hurry", "answer too fast to have read the texts", entries, advice)


def constant_answers(labels: Labels) -> Iterable[Notice]:
    """Annotators who always choose one side, one outcome or one rating."""
    entries = [
        *_constant_preferences(labels.as_written),
        *_constant_values(labels.ratings, "value", "rated every output {}"),
    ]
    if entries:
        yield _notice("constant-annotators", "always give the same answer", entries, _advice(labels))


def _constant_preferences(frame: pl.DataFrame | None) -> list[tuple[str, str]]:
    if frame is None or not _many_answers(frame):
        return []
    winner = (
        pl.when(pl.col("outcome") == "a")
        .then(pl.col("system_a"))
        .when(pl.col("outcome") == "b")
        .then(pl.col("system_b"))
    )
    sides = frame.with_columns(
        side=pl.when(pl.col("outcome") == "tie")
        .then(pl.lit("tie"))
        .when(pl.col("left").is_not_null())
        .then(pl.when(winner == pl.col("left")).then(pl.lit("left")).otherwise(pl.lit("right")))
    )
    by_side = _constant_values(sides.filter(pl.col("left").is_not_null()), "side", "chose {}", alone=0.5)
    known = {name for name, _ in by_side}
    by_outcome = _constant_values(frame, "outcome", "answered {}")
    return by_side + [entry for entry in by_outcome if entry[0] not in known]


def _many_answers(frame: pl.DataFrame) -> bool:
    """Whether anybody gave as many answers as it takes to say something of a person."""
    if frame.height < FEWEST_ANSWERS:
        return False
    return bool(frame.select((pl.col("annotator").value_counts().struct.field("count") >= FEWEST_ANSWERS).any()).item())


def _constant_values(frame: pl.DataFrame | None, column: str, what: str, alone: float = 1.0) -> list[tuple[str, str]]:
    """Annotators all of whose values are one, where as many of the others' would hardly be.

    `alone`: the share of that value to assume where there are no others (1: then nobody is named).
    """
    if frame is None or frame.height == 0:
        return []
    totals = dict(frame.group_by(column).len().iter_rows())
    own = frame.group_by("annotator").agg(
        values=pl.col(column).n_unique(), value=pl.col(column).first(), count=pl.len()
    )
    own = own.filter((pl.col("values") == 1) & (pl.col("count") >= FEWEST_ANSWERS))
    entries = []
    for row in own.sort(["count", "annotator"], descending=[True, False]).iter_rows(named=True):
        others = frame.height - row["count"]
        share = (totals[row["value"]] - row["count"]) / others if others else alone
        if share ** row["count"] < CONSTANT_CHANCE:
            value = f"{row['value']:g}" if isinstance(row["value"], float) else row["value"]
            entries.append((str(row["annotator"]), f"{what.format(value)} {row['count']:,} times"))
    return entries


def _notice(code: str, what: str, entries: list[tuple[str, str]], advice: str) -> Notice:
    shown = ", ".join(f"{listed_names([name])} ({figures})" for name, figures in entries[:_SHOWN])
    rest = f" and {len(entries) - _SHOWN:,} more" if len(entries) > _SHOWN else ""
    who = "1 annotator seems" if len(entries) == 1 else f"{len(entries):,} annotators seem"
    text = f"{who} to {what}: {shown}{rest}{advice}"
    return Notice(code, text, {"annotators": [{"annotator": name, "why": figures} for name, figures in entries]})

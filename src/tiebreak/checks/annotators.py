"""Checks of single annotators, whose answers are at chance, hurried, always the same or copied; and who is left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.special import bdtr, bdtrc

from tiebreak.checks.labels import Check, Labels
from tiebreak.data.columns import one_way_round
from tiebreak.data.study import Study
from tiebreak.evidence.human_labels import labels_of_people
from tiebreak.messages import people as messages
from tiebreak.messages.notices import NoticeKind
from tiebreak.numbers import counted, in_percent, listed_names, some_parts
from tiebreak.records import OUTCOME_CODES, Notice

FEWEST_SHARED: Final = 30
"""Items shared with others that an annotator needs before agreement is judged."""
ABOVE_CHANCE: Final = 0.05
"""One-sided p-value above which agreement is not above chance."""
BELOW_TYPICAL: Final = 1e-3
"""One-sided p-value below which agreement is under that of the other annotators."""
LEAST_CORRELATION: Final = 0.2
"""Ratings: named if even the upper 99.9% bound of the rank correlation with the others is below this."""
FEWEST_ANSWERS: Final = 20
"""Labels that the checks of speed and of constant answers need."""
HURRY_FRACTION: Final = 0.33
HURRY_SECONDS: Final = 3.0
CONSTANT_CHANCE: Final = 1e-3
"""Chance that the others' answers, drawn as often, would all be the same."""
COPIED_SHARE: Final = 0.98
"""Share of two annotators' common questions that they answer alike, if one is a copy of the other."""
COPIED_CHANCE: Final = 1e-4
"""Chance of so much agreement between any two annotators, if they agreed as the others do."""

UNRELIABLE: Final = NoticeKind(
    "unreliable-annotators",
    "an annotator agrees with the others no better than chance, is far faster, or always gives the same answer",
    "look at their labels; compare with `--exclude`",
    {
        "items": FEWEST_SHARED,
        "above_chance_p": ABOVE_CHANCE,
        "below_typical_p": BELOW_TYPICAL,
        "correlation": LEAST_CORRELATION,
        "labels": FEWEST_ANSWERS,
        "fraction": HURRY_FRACTION,
        "seconds": HURRY_SECONDS,
        "p_value": CONSTANT_CHANCE,
    },
)
COPIED: Final = NoticeKind(
    "copied-answers",
    "two annotators give the same answers, and others do not",
    "find out whether labels were copied; keep one of the two with `--exclude`",
    {"questions": FEWEST_SHARED, "share": COPIED_SHARE, "p_value": COPIED_CHANCE},
)

_UPPER: Final = 3.09  # standard normal quantile of 99.9%
_SHOWN: Final = 5

Integers = NDArray[np.int64]

Finding = tuple[str, str]
"""An annotator, and what is odd about their answers."""


def unreliable_annotators(labels: Labels) -> Iterable[Notice]:
    """Annotators whose answers may say nothing: at chance, given too fast to have read, or always the same."""
    reasons = {
        "at-chance": [*_preferences_at_chance(labels.as_written), *_ratings_at_chance(labels.ratings)],
        "hurry": _in_a_hurry(labels),
        "constant": [*_constant_preferences(labels.as_written), *_constant_values(labels.ratings, "value", "rated {}")],
    }
    found = [(name, reason, figures) for reason, entries in reasons.items() for name, figures in entries]
    if not found:
        return
    shown = "; ".join(f"{listed_names([name])} {figures}" for name, _, figures in found[:_SHOWN])
    rest = f"; and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
    option = "compare with --own-analysis --exclude" if labels.of == "campaign" else "--exclude"
    people = len({name for name, _, _ in found})
    who = counted(people, "annotator")
    text = f"Look at the labels of {who}: {shown}{rest}. See what changes without them ({option})."
    details = [{"annotator": name, "reason": reason, "why": figures} for name, reason, figures in found]
    yield UNRELIABLE.notice(text, annotators=details)


def _preferences_at_chance(frame: pl.DataFrame | None) -> list[Finding]:
    """Agreement with the majority of the others on the same item and pair, against independent answers.

    Chance is what two people with these shares of answers reach without looking, so that easy items, on which all
    choose one system, do not look like agreement. What is typical is measured on the others, as one person of few at
    chance lowers the share of all; on everybody, where the others gave fewer labels than that person.
    """
    if frame is None:
        return []
    shared = against_majority(frame)
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
            figures = (
                f"agrees with the others on {in_percent(agreed / count)} of {count:,} (by chance {in_percent(chance)}, "
                f"{'the others' if others else 'all annotators'} {in_percent(typical)})"
            )
            entries.append((below, str(name), figures))
    return [(name, figures) for _, name, figures in sorted(entries)]


def against_majority(frame: pl.DataFrame) -> pl.DataFrame:
    """Per label: `annotator`, `item`, `own` outcome and the others' `majority` (1, 0, -1 for the system first by name),
    and `at`, where the frame has it.

    Labels on which the others have no single most frequent answer are left out.
    """
    value = pl.col("outcome").replace_strict(OUTCOME_CODES, return_dtype=pl.Int64)
    when = ["at"] if "at" in frame.columns else []
    where = ["item", "criterion", "system_a", "system_b", "sample_a", "sample_b"]
    labels = one_way_round(frame).select("annotator", *where, *when, own=value)
    labels = labels.filter(pl.len().over(where) > 1)
    if labels.height == 0:  # as where one person labels each item, which needs no further queries
        return labels.select("annotator", "item", *when, "own", majority="own")
    own = pl.col("own")
    counts = {code: ((own == code).sum().over(where) - (own == code)) for code in (1, 0, -1)}
    labels = labels.with_columns(wins=counts[1], ties=counts[0], losses=counts[-1])
    most = pl.max_horizontal("wins", "ties", "losses")
    leaders = pl.sum_horizontal(pl.col(name) == most for name in ("wins", "ties", "losses"))
    lead = pl.when(pl.col("wins") == most).then(1).when(pl.col("ties") == most).then(0).otherwise(-1)
    return labels.filter((most > 0) & (leaders == 1)).select(
        "annotator", "item", *when, "own", majority=lead.cast(pl.Int64)
    )


def _ratings_at_chance(frame: pl.DataFrame | None) -> list[Finding]:
    """Rank correlation of ratings with the mean of the others' on the same output, criterion by criterion.

    Ranks, because one mistyped rating would decide a correlation of values, also that of the others with its mean.
    """
    if frame is None:
        return []
    shared = against_mean(frame).filter(pl.len().over("annotator") >= FEWEST_SHARED)
    entries = []
    for (name,), part in shared.partition_by("annotator", as_dict=True).items():
        correlation = rank_correlation(part)
        if correlation is not None and correlation + _UPPER / np.sqrt(part.height) < LEAST_CORRELATION:
            entries.append(
                (correlation, str(name), f"correlates {correlation:.2f} with the others over {part.height:,} ratings")
            )
    return [(name, figures) for _, name, figures in sorted(entries)]


def rank_correlation(part: pl.DataFrame) -> float | None:
    """Of one person's ratings with the mean of the others', as `against_mean` has them, by ranks within criteria; None
    where either does not vary.
    """
    ranks = [pl.col(name).rank().over("criterion") for name in ("own", "others")]
    centred = part.select(*[(rank - rank.mean().over("criterion")).alias(f"r{k}") for k, rank in enumerate(ranks)])
    own, other = centred["r0"].to_numpy(), centred["r1"].to_numpy()
    spread = float(np.sqrt((own @ own) * (other @ other)))
    return float(own @ other) / spread if spread > 0 else None


def against_mean(frame: pl.DataFrame) -> pl.DataFrame:
    """Per rating that others gave, too: `annotator`, `criterion`, `own` and the mean of the `others`', and `at`, where
    the frame has it.
    """
    cell = ["item", "system", "sample", "criterion"]
    when = ["at"] if "at" in frame.columns else []
    others = (pl.col("value").sum().over(cell) - pl.col("value")) / (pl.len().over(cell) - 1)
    return frame.filter(pl.len().over(cell) > 1).select("annotator", "criterion", *when, own="value", others=others)


def _in_a_hurry(labels: Labels) -> list[Finding]:
    """Annotators who answer in a fraction of the time that the others take."""
    frames = [frame for frame in (labels.as_written, labels.ratings) if frame is not None]
    if not frames:
        return []
    timed = pl.concat(frame.select("annotator", "seconds").drop_nulls() for frame in frames)
    speeds = timed.group_by("annotator").agg(pl.col("seconds").median(), count=pl.len())
    speeds = speeds.filter(pl.col("count") >= FEWEST_ANSWERS).sort("seconds", "annotator")
    if speeds.height < 2:
        return []
    usual = median(speeds["seconds"])
    limit = min(HURRY_FRACTION * usual, HURRY_SECONDS)
    return [
        (str(name), f"takes {seconds:.1f} s for a label, half of the annotators {usual:.1f} s or more")
        for name, seconds in speeds.filter(pl.col("seconds") < limit).select("annotator", "seconds").iter_rows()
    ]


def _constant_preferences(frame: pl.DataFrame | None) -> list[Finding]:
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


def _constant_values(frame: pl.DataFrame | None, column: str, what: str, alone: float = 1.0) -> list[Finding]:
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


def copied_answers(labels: Labels) -> Iterable[Notice]:
    """Two annotators answer all but 2% of their common questions alike, and other annotators agree far less.

    What is usual is measured on all pairs of annotators below that share. Without such pairs nothing is usual: two
    annotators alone may agree because the questions are easy.
    """
    frame = _answers(labels)
    if frame is None or frame["annotator"].n_unique() < 3:
        return
    questions, answers, people = (frame[name].to_numpy() for name in ("question", "answer", "person"))
    shape = int(people.max()) + 1
    together, alike = (_common(codes, people, shape) for codes in (questions, answers))
    first, second, shared, agreed = _upper(together, alike)
    enough = shared >= FEWEST_SHARED
    copied = enough & (agreed >= COPIED_SHARE * shared)
    usual_shared = int(shared[~copied].sum())
    if not copied.any() or not usual_shared:
        return
    usual = float(agreed[~copied].sum()) / usual_shared
    chances = bdtrc(agreed - 1.0, shared.astype(np.intp), usual)
    copied &= chances < COPIED_CHANCE / max(int(enough.sum()), 1)
    if not copied.any():
        return
    names = frame.select("person", "annotator").unique().sort("person")["annotator"].to_list()
    found = sorted(
        ((names[i], names[j], int(both), int(same)) for i, j, both, same in
         zip(first[copied], second[copied], shared[copied], agreed[copied], strict=True)),
        key=lambda entry: (-entry[2], entry[:2]),
    )  # fmt: skip
    listed = some_parts([f"{a} and {b} on {same:,} of {both:,} questions" for a, b, both, same in found])
    text = (
        f"Annotators who give the same answers: {listed}; others agree on {in_percent(usual)}. Copies are no second "
        "opinion: find out whether the labels were copied, and keep one of the two (--exclude)."
    )
    details = [{"annotators": [a, b], "questions": both, "alike": same} for a, b, both, same in found]
    yield COPIED.notice(text, pairs=details, usual=usual)


def _answers(labels: Labels) -> pl.DataFrame | None:
    """A row per label on a question with several: `annotator` and, as numbers from 0, `question`, `answer` (of that
    question) and `person`.
    """
    index = labels.evidence.index
    frames = []
    if labels.preferences.height:
        about = ("pair", "sample_a", "sample_b")
        frames.append(labels.preferences.select("annotator", "item", *about, value=pl.col("value").cast(pl.Float64)))
    if labels.ratings is not None:
        frames.append(labels.ratings.select("annotator", "item", "system", "criterion", "sample", "value"))
    parts = []
    for frame in frames:
        question = pl.Series(index.numbers(frame["item"]), dtype=pl.Int64) + 1
        for name in frame.columns[2:-1]:
            number = frame[name].rank("dense").cast(pl.Int64).fill_null(0)
            question = question * (int(number.max() or 0) + 1) + number  # type: ignore[arg-type]
        parts.append(frame.select("annotator", "value", question=question))
    if len(parts) > 1:  # a rating is another question than any preference
        parts[1] = parts[1].with_columns(question=-pl.col("question"))
    if not parts:
        return None
    together = pl.concat(parts).sort("question")  # which is far quicker than groups, of a million questions
    asked = together["question"].to_numpy()
    same = asked[1:] == asked[:-1]
    several = together.filter(pl.Series(np.append(same, False) | np.append(False, same)))
    if several.height == 0:
        return None
    return several.select(
        "annotator",
        question=pl.col("question").rle_id().cast(pl.Int64),
        answer=pl.struct("question", "value").rank("dense").cast(pl.Int64) - 1,
        person=pl.col("annotator").rank("dense").cast(pl.Int64) - 1,
    )


def _common(codes: Integers, people: Integers, shape: int) -> csr_matrix:
    """How many of the `codes` (n,) each two people have in common, shape (shape, shape)."""
    given = csr_matrix((np.ones(codes.size, dtype=np.int64), (codes, people)), shape=(int(codes.max()) + 1, shape))
    given.data[:] = 1  # repeated labels of one person on one question are one
    return csr_matrix(given.T @ given)


def _upper(together: csr_matrix, alike: csr_matrix) -> tuple[Integers, Integers, Integers, Integers]:
    """Of each two people with a common question: both numbers, the common questions, and those answered alike."""
    rows, columns = together.nonzero()
    above = rows < columns
    rows, columns = rows[above], columns[above]
    return rows, columns, *(np.asarray(found[rows, columns]).ravel() for found in (together, alike))


CHECKS: Final = (Check(UNRELIABLE, unreliable_annotators), Check(COPIED, copied_answers))


def people_left_out(study: Study, chosen: Study, criteria: Sequence[str | None]) -> tuple[Notice, ...]:
    """That the `chosen` part of a study lacks people who labelled these criteria; none where nobody is left out."""
    everybody, left = (labels_of_people(some, criteria) for some in (study, chosen))
    names = sorted(everybody.keys() - left.keys())
    return (messages.left_out(names, everybody),) if names else ()

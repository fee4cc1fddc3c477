"""A watched study in a few sentences: what the looks saw, what is no evidence yet, and what is promised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiebreak.messages.campaign import CHANGED, PAIRS_LEFT_OUT
from tiebreak.numbers import counted, plain
from tiebreak.records import Multiplicity, Notice
from tiebreak.results.progress import WatchedFamily, WatchProgress
from tiebreak.results.records import PaperSentence
from tiebreak.rules.family import BOUNDED
from tiebreak.rules.rule import Guarantee

_CONDITIONS: Final = (
    "the order of items does not depend on what is in them",
    "answers come equally fast for either side",
    "nobody completes an item, cluster or batch because of its first answers",
    "nothing is renamed",
    "the ledger was neither deleted, copied nor put back to an earlier state",
)
_AT_ONCE: Final = " (the least favourable, where more came at once)"
LISTED_PROMISE: Final = Guarantee(
    "carry no promise for every look, because items are handed out in a listed order: where topics are labelled one "
    "after the other, the first of them can mislead"
)
"""In place of a promise."""

NOTHING_YET: Final = PaperSentence("Nothing to report: no label is evidence yet.")
"""In place of a sentence for a paper."""


def watch_guarantee(
    multiplicity: Multiplicity,
    alpha: float,
    families: Sequence[WatchedFamily],
    *,
    labelled_before: bool = False,
    excluded: bool = False,
) -> Guarantee:
    """What the looks promise. `families`: those so far, with the alpha of each;
    `labelled_before`: the first look, which fixed the terms, had labels; `excluded`: people are.
    """
    conditions = list(_CONDITIONS)
    if labelled_before:
        conditions.append("what the first look fixed was not chosen by the labels that were there")
    if excluded:
        conditions.append("nobody was left out for what they answered")
    chance = f"{BOUNDED[multiplicity]} is at most {plain(alpha)}, however often one looks"
    first, *later = families
    if first.alpha < alpha and not later:
        these = "this pair" if first.pairs == 1 else "these pairs"
        chance += f". Of alpha, {plain(first.alpha)} is for {these}; the rest is kept for systems that join later"
    if later:
        parts = [f"{plain(of.alpha)} for the {counted(of.pairs, 'pair')} of look {of.look}" for of in later]
        chance += (
            f". Of alpha, {plain(first.alpha)} is for the pairs of the first look, {', '.join(parts)}; a system that "
            "joined because of what was seen is not covered"
        )
    return Guarantee("hold at every look", chance, tuple(conditions))


def labels_counted(per_item: int | None, several: str) -> str:
    """How the labels of an item become its value."""
    if per_item is None:
        return f"the {several} of the first labels of each item, as many as most items of the pair had{_AT_ONCE}"
    if per_item == 1:
        return "the first label of each item"
    return f"the {several} of the first {per_item} labels of each item{_AT_ONCE}"


def watch_words(progress: WatchProgress) -> str:
    """How often was looked, what was seen, and what of it is no evidence."""
    looks = "the first look" if progress.looks == 1 else f"look {progress.looks:,}"
    seen = f"with {counted(progress.labels, 'label')} seen in all"
    parts = [
        f"Watched since {_minute(progress.begun_at)}, planned for up to {counted(progress.planned, 'item')} per pair; "
        f"this is {looks}, of {_minute(progress.at)} UTC, {seen}."
    ]
    counts = {1: "1 label counts", None: "as many labels count as most items had at first"}.get(
        progress.per_item, f"{progress.per_item} labels count"
    )
    reasons = [
        f"{count:,} {words}"
        for count, words in (
            (progress.waiting, "on items that still lack some"),
            (progress.beyond, "beyond that number"),
            (progress.outside, "outside the sealed pool or clusters"),
            (progress.unfinished, "on clusters that are not complete"),
            (progress.late, "after their batch was closed"),
            (progress.tied, "on identical outputs"),
            (progress.excluded, "of people left out"),
        )
        if count
    ]
    if reasons:
        unit = " (comparisons of two ratings)" if progress.of_ratings else ""
        parts.append(f"Per item and pair {counts}. No evidence{unit}: {', '.join(reasons)}.")
    if progress.missing:
        one = progress.missing == 1
        parts.append(
            f"{counted(progress.missing, 'item')} of closed batches had no answer when {'it' if one else 'they'} "
            f"closed, and {'counts' if one else 'count'} against whichever side is argued."
        )
    if progress.open_batches:
        which = (
            "1 batch with labels is"
            if progress.open_batches == 1
            else f"{progress.open_batches} batches with labels are"
        )
        parts.append(f"{which} open, and no evidence yet.")
    if progress.unseen:
        parts.append(f"The study has {counted(progress.unseen, 'label')} that no look has seen: tiebreak watch.")
    return " ".join(parts)


def changed_since_look(
    vanished: Sequence[Sequence[object]], changed: Sequence[Sequence[object]], regrouped: Sequence[str], texts: int
) -> tuple[Notice, ...]:
    """What is no more as a look saw it; none where all is.

    `vanished`, `changed`: labels that are gone, or otherwise: (item, what was judged, annotator). `regrouped`: items in
    another cluster or batch; `texts`: outputs with another text.
    """
    sentences = []
    for rows, what in ((vanished, "no more in the study"), (changed, "otherwise in the study now")):
        if rows:
            item, judged, annotator = rows[0]
            sentences.append(
                f"{counted(len(rows), 'label')} that a look saw {_are(len(rows))} {what} (first: {annotator} on "
                f"{judged}, item {item})."
            )
    if regrouped:
        sentences.append(
            f"{counted(len(regrouped), 'item')} {_are(len(regrouped))} in another cluster or batch than when a look "
            f"listed {'it' if len(regrouped) == 1 else 'them'} (first: {regrouped[0]})."
        )
    if texts:
        sentences.append(
            f"{counted(texts, 'output')} changed since a look saw {'it' if texts == 1 else 'them'}: labels from before "
            "are of other texts."
        )
    if not sentences:
        return ()
    sentences.append("What was seen stays as it was seen first; for new texts or clusters begin another study.")
    figures = {"vanished": len(vanished), "changed": len(changed), "regrouped": len(regrouped), "outputs": texts}
    return (CHANGED.notice(" ".join(sentences), **figures),)


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def untested(pairs: Sequence[tuple[str | None, str, str]]) -> tuple[Notice, ...]:
    """Pairs (criterion, system_a, system_b) that joined when nothing of alpha was left; none where there are none."""
    if not pairs:
        return ()
    criterion, a, b = pairs[0]
    which = "1 pair has" if len(pairs) == 1 else f"{len(pairs):,} pairs have"
    about = "" if criterion is None else f" on {criterion}"
    text = (
        f"{which} labels and {_are(len(pairs))} not tested (first: {a} and {b}{about}): of alpha nothing is left for "
        "pairs that join. To test them, watch them in a study of their own."
    )
    return (PAIRS_LEFT_OUT.notice(text, pairs=len(pairs)),)


def _minute(time: str) -> str:
    """ "2026-05-01 09:30" of "2026-05-01T09:30:00Z"."""
    return time[:16].replace("T", " ")

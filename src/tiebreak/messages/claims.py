"""What was compared, by which rule, and about what the verdicts are: one short line each.

How many clusters the items of a pair are in, and how many of equal size they are worth.

Where a campaign or a watched study stands, in a paragraph under its verdicts.

How far annotators agree, as rows of a name and what is known of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from tiebreak.kernels.agreement import Agreement
from tiebreak.messages.campaign import standing_words
from tiebreak.messages.watch import watch_words
from tiebreak.numbers import counted, counted_range, in_percent, listed_names, number, plain, some_names
from tiebreak.records import Multiplicity, Question
from tiebreak.results.comparison_terms import Terms, correction_of
from tiebreak.results.records import (
    INTERVAL_BEYOND_MARGIN,
    INTERVAL_CONTAINS_ZERO,
    AnnotatorAgreement,
    CompareResult,
    CriterionResult,
    PairResult,
)
from tiebreak.rules.rule import Validity
from tiebreak.settings.protocol import DecisionSettings

_DIFFERENCES: Final[dict[Question, str]] = {
    "wins": "P(A preferred) - P(B preferred)",
    "means": "the mean rating of A minus that of B",
}


def difference_words(terms: Terms) -> str:
    """What every difference and interval is about. Each output says which system is A: where two stand in a row, the
    first.
    """
    return _DIFFERENCES[terms.compare]


def sizes_words(result: CompareResult) -> str:
    """ "4 systems, 300 items, 6 pairs tested together"."""
    items = result.study["items"]
    compared, count = _systems(result)
    systems = counted(count, "system") if compared == count else f"{compared:,} of {counted(count, 'system')}"
    parts = [systems, counted(items if isinstance(items, int) else 0, "item")]
    if len(result.results) > 1:
        parts.append(f"{len(result.results)} criteria")
    parts.append(counted(result.terms.family, "pair") + (" tested together" if result.terms.family > 1 else ""))
    return ", ".join(parts) + _without_labels(
        result, math.comb(count, 2) if result.terms.baseline is None else count - 1
    )


def _without_labels(result: CompareResult, pairs: int) -> str:
    """How many pairs of the systems (`pairs` on each criterion) nobody compared, where no choice of pairs says so."""
    terms = result.terms
    missing = pairs * len(result.results) - sum(len(found.pairs) for found in result.results)
    if missing <= 0 or terms.only_pairs or result.campaign is not None:
        return ""
    return f" ({missing:,} more {'has' if missing == 1 else 'have'} no comparison)"


def compared_words(result: CompareResult) -> str:
    """How many systems were compared: "4", or "4 of 5" where one was compared with no other."""
    compared, count = _systems(result)
    return f"{count:,}" if compared == count else f"{compared:,} of {count:,}"


def _systems(result: CompareResult) -> tuple[int, int]:
    """Those in some pair, and all."""
    named = result.study["systems"]
    compared = set(named) if isinstance(named, list) else set()
    return len(compared), len(compared.union(*(found.not_compared for found in result.results)))


def rule_words(terms: Terms, pairs: Sequence[PairResult]) -> str:
    """The rule with its level, what is done about many pairs, and the metrics that the verdicts of `pairs` rest on."""
    parts = [terms.title] if terms.counted else [terms.title, f"{terms.level} {plain(terms.alpha)}"]
    if terms.correction is not None and terms.family > 1 and not terms.counted:
        correction = explained_correction(terms.correction, terms.multiplicity, terms.margin)
        parts.append(f"{correction} over {terms.family:,} pairs")
    if terms.margin is not None:
        parts.append(f"margin {plain(terms.margin)}")
    if terms.items_per_pair is not None:
        parts.append(f"at most {counted(terms.items_per_pair, 'item')} per pair")
    entered = dict.fromkeys(name for pair in pairs if pair.metric is not None for name in pair.metric.entered)
    if terms.automatic and not terms.human:
        parts.append(f"from {_sources(terms)}")
    elif entered:
        parts.append(f"with {some_names(list(entered))}")
    return ", ".join(parts)


def explained_correction(correction: str, multiplicity: Multiplicity, margin: float | None) -> str:
    """The correction, and why it is another than the one that was asked for."""
    replaced = multiplicity == "holm" and margin is not None
    return f"{correction} (Holm does not cover a margin)" if replaced else correction


def account_of_pairs(decision: DecisionSettings) -> str:
    """What a campaign does about many pairs."""
    correction = correction_of(decision)
    if correction is None or decision.multiplicity == "none":
        return "each pair by itself"
    return explained_correction(correction, decision.multiplicity, decision.margin)


def interval_words(pairs: Sequence[PairResult], terms: Terms) -> str:
    """When intervals hold, and which of them say less than their verdict, and why."""
    validities = list(dict.fromkeys(pair.difference.validity for pair in pairs)) or [Validity("no interval")]
    kept = "they hold with" if validities[0].promised else "they carry"
    sentences = [f"{kept} {'; or '.join(map(str, validities))}{terms.guarantee.provisos}."]
    if zero := sum(INTERVAL_CONTAINS_ZERO in pair.flags for pair in pairs):
        whose = f"{'That' if zero == 1 else 'Those'} of {counted(zero, 'decided pair')}"
        sentences.append(f"{whose} {'contains' if zero == 1 else 'contain'} 0: {_why_zero(terms)}.")
    if beyond := sum(INTERVAL_BEYOND_MARGIN in pair.flags for pair in pairs):
        whose = f"{'That' if beyond == 1 else 'Those'} of {counted(beyond, 'equivalent pair')}"
        sentences.append(
            f"{whose} {'goes' if beyond == 1 else 'go'} beyond the margin: equivalence takes a test on either side, "
            "each of which is less strict than a two-sided interval."
        )
    return " ".join(sentences)


def _why_zero(terms: Terms) -> str:
    if terms.looks == "uncontrolled":
        return "the verdict is that of the first crossing, the interval that of all items"
    if terms.multiplicity == "holm" and terms.correction is not None and terms.family > 1:
        return "verdicts are by Holm's steps, which reach further than intervals for all pairs at once (Bonferroni)"
    return "verdict and interval are computed in different ways"


def claim_words(terms: Terms) -> str:
    """About what verdicts and differences are."""
    if terms.people == "random":
        return "inputs and people like these"
    return "these items only" if terms.target == "items" else "inputs like these"


def labels_words(found: CriterionResult, *, watched: bool = False) -> str:
    """ "1,800 labels by 10 annotators (w01, w02, w03, w04, w05, w06 and 4 more)"; of a `watched` study the labels in
    evidence and those seen.
    """
    people = found.annotators
    who = f" ({some_names(people)})" if people else ""
    seen = f" in evidence, of {labels_seen(found):,} seen," if watched and found.labels < labels_seen(found) else ""
    return f"{counted(found.labels, 'label')}{seen} by {counted(len(people), 'annotator')}{who}"


def labels_seen(found: CriterionResult) -> int:
    """Labels of all people who are not left out; in a watched study they need not be evidence."""
    return found.people.total


def cycle_words(cycle: Sequence[str]) -> str:
    """A contradiction among verdicts."""
    return f"{' beats '.join([*cycle, cycle[0]])}: no ranking can honour all of these verdicts."


def _sources(terms: Terms) -> str:
    """Metrics and judges by name, or that all of them were taken."""
    return ", ".join(
        f"all {kind}" if tuple(names) == ("all",) else listed_names(names)
        for kind, names in (("metrics", terms.metrics), ("judges", terms.judges))
        if names
    )


_AS_GOOD_AS: Final = 0.9  # of their number: clusters of nearly equal size need no word


def clusters_words(pairs: Sequence[PairResult]) -> str:
    """ "20 clusters", "12 to 20 clusters (of unequal size: worth 7.3 to 11 of equal size)"; "" without any."""
    if all(pair.clusters is None for pair in pairs):
        return ""
    counts = [pair.items if pair.clusters is None else pair.clusters for pair in pairs]
    worth = [
        count if pair.effective_clusters is None else pair.effective_clusters
        for pair, count in zip(pairs, counts, strict=True)
    ]
    return f"{counted_range(counts, 'cluster')}{worth_words(counts, worth)}"


def worth_words(counts: Sequence[int], worth: Sequence[float]) -> str:
    """ " (of unequal size: worth 7.3 of equal size)", or "" where all sizes are about equal."""
    if all(equal >= _AS_GOOD_AS * count for count, equal in zip(counts, worth, strict=True)):
        return ""
    return f" (of unequal size: worth {_spread([round(equal, 1) for equal in worth])} of equal size)"


def _spread(numbers: Sequence[float]) -> str:
    least, most = f"{min(numbers):,.12g}", f"{max(numbers):,.12g}"
    return most if least == most else f"{least} to {most}"


def standing_of(result: CompareResult) -> str:
    """Labels and looks so far; "" for a finished set of labels."""
    if result.watch is not None:
        return watch_words(result.watch)
    return "" if result.campaign is None else standing_words(result.campaign)


def agreement_rows(found: AnnotatorAgreement, *, brief: bool = False) -> list[tuple[str, str]]:
    """Krippendorff's alpha and, for preferences, the share of label pairs that agree, each with its interval.

    `brief`: without what they rest on.
    """
    if found.all_same:
        return [(f"Agreement on {found.kind}", "all answers to questions with several annotators are the same")]
    if found.alpha is None:
        return [(f"Agreement on {found.kind}", "unknown, as too few items have two labels")]
    basis = "" if brief else f"; {_basis(found.alpha)}"
    rows = [(f"Krippendorff's alpha ({found.kind}, {found.level})", _with_interval(found.alpha, number) + basis)]
    if found.agreeing is not None and not brief:
        rows.append((f"Label pairs that agree ({found.kind})", _with_interval(found.agreeing, in_percent)))
    return rows


def agreement_sentences(found: CriterionResult) -> list[str]:
    """The same of a criterion below a table, as far as anything is known."""
    of = f" on {found.criterion}" if found.criterion else ""
    rows = [row for kind in found.agreement if kind.known for row in agreement_rows(kind, brief=True)]
    return [f"{head}{of}: {said}." for head, said in rows]


def _with_interval(found: Agreement, written: Callable[[float], str]) -> str:
    if found.low is None or found.high is None:
        return f"{written(found.estimate)} (no interval: all items are alike)"
    return f"{written(found.estimate)} (95%: {written(found.low)} to {written(found.high)})"


def _basis(found: Agreement) -> str:
    return ", ".join(
        counted(count, noun)
        for count, noun in ((found.n_labels, "label"), (found.n_items, "question"), (found.n_annotators, "annotator"))
    )

"""One sentence, with a second for the findings, to paste into a paper."""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.messages.claims import claim_words, clusters_words, difference_words
from tiebreak.numbers import counted, counted_range, interval, known_number, listed_names, plain, some_names
from tiebreak.results.comparison_terms import Terms
from tiebreak.results.records import CONTRADICTION, PairResult, PaperSentence
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import ALL_LABELLED, FRESH_LABELS
from tiebreak.version import __version__


def paper_sentence(
    pairs: Sequence[PairResult],
    terms: Terms,
    *,
    criterion: str | None,
    from_ratings: bool,
    people: int,
    labels: int,
    derived_from: str | None = None,
) -> PaperSentence:
    """One sentence (with a second for the verdicts) to paste into a paper: method, alpha, estimand, n."""
    about = f" on {criterion}" if criterion else ""
    if not pairs:
        return PaperSentence(f"No two systems were judged on the same item{about}.")
    if not terms.human:
        return PaperSentence(_naive_sentence(pairs, terms))
    if any(CONTRADICTION in pair.flags for pair in pairs):
        return PaperSentence("There is no sentence for a paper: the evidence on some pair contradicts itself.")
    whose = "within" if terms.raters == "same" else "across"
    what = counted(labels, "pairwise human preference")
    if from_ratings:
        what = f"{ratings_words(labels, derived_from)}, compared item by item {whose} annotators,"
    items = counted_range([pair.items for pair in pairs], "item")
    scope = claim_words(terms) if terms.target == "inputs" else _these_items(pairs)
    clusters = clusters_words(pairs)
    unit = ", one unit of evidence per cluster" if clusters else ""
    only = f" named {some_names(terms.annotators)}" if terms.annotators else ""
    left_out = f", leaving out {some_names(terms.exclude)}" if terms.exclude else ""
    ties = f"; ratings up to {plain(terms.tie_threshold)} apart tie" if from_ratings and terms.tie_threshold else ""
    setup = (
        f"From {what}{about} by {counted(people, 'annotator')}{only}{left_out} "
        f"({items}{f' in {clusters}' if clusters else ''} per pair; {terms.labels_in_words}{ties}{unit}"
        f"{_identical(pairs)}{_without_labels(pairs)}) we estimated {difference_words(terms)} of each pair of systems "
        f"A and B on {scope} and decided by {_method_words(pairs, terms)} (tiebreak {__version__})"
    )
    return PaperSentence(f"{setup}: {_findings(pairs, terms)}.", terms.guarantee)


def ratings_words(count: int, derived_from: str | None) -> str:
    """`"40 human ratings"`, or what they were derived from: the table of people's labels."""
    if derived_from is None:
        return counted(count, "human rating")
    return f"{counted(count, 'rating')} derived from human {derived_from}"


def _identical(pairs: Sequence[PairResult]) -> str:
    """Comparisons that nobody needed to be asked about."""
    same = sum(pair.identical for pair in pairs)
    if not same:
        return ""
    tied = "counts as a tie" if same == 1 else "count as ties"
    return f"; {counted(same, 'comparison')} of identical outputs {tied}, labelled or not"


def _without_labels(pairs: Sequence[PairResult]) -> str:
    """Items that were withdrawn, or stayed without a label."""
    missing = sum(pair.abandoned for pair in pairs)
    return f"; {counted(missing, 'item')} without a label that counts, taken against either side" if missing else ""


def _these_items(pairs: Sequence[PairResult]) -> str:
    """What a claim about a pool is about; where all of it is labelled, these labels or others of the same people."""
    whole = [pair for pair in pairs if ALL_LABELLED in pair.flags]
    if not whole:
        return "these items"
    known = " or with identical outputs" if any(pair.identical for pair in whole) else ""
    on = "" if len(whole) == len(pairs) else f" on {len(whole)} of {len(pairs)} pairs and there"
    fresh = any(pair.difference.validity.of == "fresh-labels" for pair in whole)
    comma = " " if on else ", "
    return f"these items, all of them labelled{known}{on}{comma}{FRESH_LABELS if fresh else 'from these labels alone'},"


def _naive_sentence(pairs: Sequence[PairResult], terms: Terms) -> str:
    """For a metric without human labels: says what it is, so that nobody pastes it as evidence."""
    return (
        f"Not evidence of quality: {listed_names(terms.automatic)} alone, without human labels, decided by "
        f"{_method_words(pairs, terms)} (tiebreak {__version__}): "
        f"{_findings(pairs, terms)}. A metric's systematic mistakes do not shrink with more items, and no number "
        "here accounts for them."
    )


def _method_words(pairs: Sequence[PairResult], terms: Terms) -> str:
    automatic = listed_names(terms.automatic)
    if terms.counted:
        return f"a {terms.title}" + (f" (margin {plain(terms.margin)})" if terms.margin is not None else "")
    if terms.correction is None:
        source = f" ({automatic})" if automatic else ""
        return f"the {terms.title}{source}, at {terms.level} = {plain(terms.alpha)} for each pair"
    article = "an" if terms.title[0] in "aeiou" else "a"
    of_all = f" on {len(terms.criteria)} criteria together" if len(terms.criteria) > 1 else ""
    tested = f"{terms.family:,} pairs{of_all}"
    tests = f"{terms.correction} over {tested}" if terms.family > 1 else "one pair, both directions"
    margin = f", margin {plain(terms.margin)}" if terms.margin is not None else ""
    used = dict.fromkeys(name for pair in pairs if pair.metric for name in pair.metric.entered)
    helped = f", with {listed_names(used)} as a control variate" if used and terms.human else ""
    budget = ""
    if terms.items_per_pair and RULES[terms.rule].plans_items:
        budget = f", planned for at most {counted(terms.items_per_pair, 'item')} per pair"
    return f"{article} {terms.title} at alpha = {plain(terms.alpha)} ({tests}{margin}{helped}{budget})"


def _findings(pairs: Sequence[PairResult], terms: Terms) -> str:
    if len(pairs) == 1:
        return _one_finding(pairs[0], terms)
    better = sum(pair.winner is not None for pair in pairs)
    equivalent = sum(pair.verdict == "equivalent" for pair in pairs)
    undecided = len(pairs) - better - equivalent
    small = sum(pair.winner is not None and pair.also == "equivalent" for pair in pairs)
    parts = [f"{better} of {len(pairs)} pairs {'has' if better == 1 else 'have'} a better system"]
    if small:
        parts[0] += f" ({small} of them by less than the margin)"
    if terms.margin is not None:
        parts.append(f"{equivalent} {'is' if equivalent == 1 else 'are'} equivalent within {plain(terms.margin)}")
    parts.append(f"{undecided} remain{'s' if undecided == 1 else ''} undecided")
    return ", ".join(parts[:-1]) + f" and {parts[-1]}"


def _one_finding(of: PairResult, terms: Terms) -> str:
    pair = of.winner_first()
    found = pair.difference
    figures = f"difference {known_number(found.estimate)}, interval {interval(found.low, found.high)}"
    if found.estimate is None:
        noun, units = ("item", pair.units) if pair.clusters is None else ("cluster", pair.clusters)
        figures = f"{counted(units, noun)} {'is' if units == 1 else 'are'} too few for an estimate"
    if "equivalent" in (pair.verdict, pair.also) and pair.equivalence_interval is not None:
        figures += f", and for equivalence {interval(*pair.equivalence_interval)}"
    if pair.winner is not None:
        small = f", but by less than the margin of {plain(terms.margin or 0.0)}" if pair.also == "equivalent" else ""
        return f"{pair.winner} is better than {pair.system_b}{small} ({pair.system_a} minus {pair.system_b}: {figures})"
    if pair.verdict == "equivalent":
        return f"{pair.system_a} and {pair.system_b} are equivalent within {plain(terms.margin or 0.0)} ({figures})"
    return f"{pair.system_a} and {pair.system_b} remain undecided ({pair.system_a} minus {pair.system_b}: {figures})"

"""From what a study holds to what it supports, and what blocks the rest: sentences with figures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Final

from tiebreak.data.columns import one_way_round
from tiebreak.data.schema import TABLES, derivable
from tiebreak.data.study import Study
from tiebreak.diagnosis.holdings import Holdings
from tiebreak.diagnosis.support import (
    TARGET_DIFFERENCES,
    CriterionSupport,
    Need,
    PairSupport,
    direction_level,
)
from tiebreak.evidence.derived import why_not_derived
from tiebreak.numbers import counted, in_percent, listed_names, number, plain, rounded
from tiebreak.rules.power import ASSUMED_TIES, outcomes_enough

LARGE_DIFFERENCE: Final = 0.5
"""A pair whose labels would not even find this difference in 80% of studies is reported as having too few."""

MANY_PAIRS: Final = 20


@dataclass(frozen=True, slots=True)
class Capability:
    """One thing that a study does or does not support. `name` is stable; `criterion` None where it has none."""

    name: str
    possible: bool
    why: str
    criterion: str | None = None
    details: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Blocker:
    """What stands in the way, and the further human labels that would remove it (None: labels would not)."""

    code: str
    text: str
    further_labels: int | None = None
    criterion: str | None = None
    details: dict[str, object] = field(default_factory=dict)


def capabilities(
    study: Study,
    held: Holdings,
    supports: Sequence[CriterionSupport],
) -> tuple[Capability, ...]:
    """Comparisons and means per criterion first, then targets, people, metrics and judges."""
    return (
        *_compare(held, supports),
        *_means(study),
        *_items_target(held, supports),
        _agreement(study),
        *_derived(study, held, supports),
        *_metrics(study, held, supports),
        *_judges(study, held, supports),
        *_evaluator(study, held),
    )


def _evaluator(study: Study, held: Holdings) -> Iterable[Capability]:
    """What an evaluator could learn from, and be used for, where there are checkpoints of trainings."""
    known = {name: study.settings.systems[name] for name in study.systems if name in study.settings.systems}
    runs = Counter(one.run for one in known.values() if one.run is not None)
    if not runs or study.outputs is None:
        return
    steps = Counter(one.run for one in known.values() if one.run is not None and one.step is not None)
    several = [count for count in steps.values() if count > 1]
    people = sum(one.reference for one in known.values())
    found = {
        "references": f"references of {counted(held.references, 'item')}" if held.references else "",
        "reference systems": counted(people, "reference system") if people else "",
        "checkpoints": f"{counted(sum(several), 'checkpoint')} of {counted(len(several), 'run')}" if several else "",
        "labels": counted(held.human_labels, "human label") if held.human_labels else "",
    }
    sources = [name for name, said in found.items() if said]
    details: dict[str, object] = {"runs": len(runs), "sources": sources}
    why = "no reference, no run with two checkpoints and no label is there to learn from"
    if sources:
        why = f"{', '.join(found[name] for name in sources)} to learn from"
        follow = [f"follow {counted(len(several), 'run')}"] if several else []
        uses = [*follow, *([f"choose among {len(runs):,} runs"] if len(runs) > 1 else [])]
        why += f"; it can {' and '.join(uses)}" if uses else ""
        unsaid = [name for name, one in known.items() if runs.get(one.run or "", 0) > 1 and one.step is None]
        why += f", once study.toml has a step of {', '.join(unsaid)}" if unsaid else ""
    yield Capability("evaluator", bool(sources), why, None, details)


def _compare(held: Holdings, supports: Sequence[CriterionSupport]) -> Iterable[Capability]:
    usable = [support for support in supports if support.pairs]
    if not usable:
        why = "no human label compares two systems"
        if held.candidates < 2:
            why = f"there {'is one system' if held.candidates else 'are no systems'}, and a comparison needs two"
        yield Capability("compare", False, why)
    for support in usable:
        items = [pair.items for pair in support.pairs]
        spread = f"{min(items):,} / {median(items):,.0f} / {max(items):,}"
        if len(set(items)) == 1:
            spread = f"{items[0]:,}"
        elif len(items) == 2:
            spread = f"{min(items):,} and {max(items):,}"
        else:
            spread += " (least / median / most)"
        pairs = len(support.pairs)
        spread += " item" if max(items) == 1 else " items"
        why = f"{pairs:,} of {support.possible_pairs:,} pairs {'has' if pairs == 1 else 'have'} labels, on {spread}"
        if support.possible_pairs == 1:
            why = f"the pair has labels on {spread}"
        why += f"; {_decidable(support)}"
        details: dict[str, object] = {
            "pairs": pairs,
            "possible_pairs": support.possible_pairs,
            "items_least": min(items),
            "items_median": float(median(items)),
            "items_most": max(items),
            "tie_rate": support.tie_rate,
        }
        yield Capability("compare", True, why, support.criterion, details)


def _means(study: Study) -> Iterable[Capability]:
    """Mean ratings: on which criteria, by scale, and of how many outputs."""
    if study.ratings is None:
        return
    rated = study.ratings.unique(["criterion", "system", "item", "sample"])
    counts = rated.group_by("criterion", "system").len()["len"].to_list()
    spread = f"{min(counts):,}" if min(counts) == max(counts) else f"{min(counts):,} to {max(counts):,}"
    named = set(rated["criterion"].unique())
    criteria = [name for name in study.criteria if name is not None and name in named]
    by_scale: dict[tuple[float, float] | None, list[str]] = {}
    for name in criteria:
        by_scale.setdefault(study.settings.scale.get(name), []).append(name)
    on = ", ".join(f"{listed_names(names)} ({_scale_words(scale)})" for scale, names in by_scale.items())
    systems = rated["system"].n_unique()
    why = f"mean ratings of {counted(systems, 'system')}, {spread} rated outputs{' each' * (systems > 1)}, on {on}"
    unknown = [name for name in by_scale.get(None, ()) if name not in study.derived]
    if unknown:
        why += f'; study.toml can say a scale, such as [scale] "{unknown[0]}" = [1, 5], so that intervals know it'
    yield Capability("estimate", True, why, None, {"criteria": criteria, "without_scale": unknown})


def _scale_words(scale: tuple[float, float] | None) -> str:
    return "no scale" if scale is None else f"{plain(scale[0])} to {plain(scale[1])}"


def _decidable(support: CriterionSupport) -> str:
    """Which differences the labels would find."""
    pairs = len(support.pairs)
    able = [pair for pair in support.pairs if pair.usual_ends is not None]
    if not able:
        where = "" if pairs == 1 else " in every pair"
        if support.hopeless:
            return f"too few{where} to find any difference, however large: {support.least} for a verdict"
        return f"in one look hardly any difference is found in 80% of studies{where}: {support.least} for a verdict"
    who = "it" if pairs == 1 else "they" if len(able) == pairs else f"{len(able):,} of them"
    ends = from_to([pair.usual_ends for pair in able if pair.usual_ends is not None])
    ties = _with_fewer_ties(able)
    few = ": few clusters do not tell how far others stray" if any(pair.detectable_range for pair in able) else ""
    if len({number(pair.detectable_difference or 0.0) for pair in able}) == 1:
        return f"in one look {who} would find a difference of about {ends} in 80% of studies{ties}{few}"
    return f"the smallest difference that {who} would find in 80% of studies is about {ends}, by pair{ties}{few}"


def from_to(ends: Sequence[tuple[float, float]]) -> str:
    """ "0.23 to 0.35", or "0.23" where all ends are printed alike."""
    low, high = number(min(low for low, _ in ends)), number(max(high for _, high in ends))
    return low if low == high else f"{low} to {high}"


def _with_fewer_ties(pairs: Sequence[PairSupport]) -> str:
    """On which `pairs` a difference so large leaves fewer ties than there are."""
    tied = [pair for pair in pairs if pair.fewer_tie]
    if not tied:
        return ""
    if len(pairs) == 1:
        return f", with at most {in_percent(1 - (tied[0].detectable_difference or 0.0))} ties"
    return ", with fewer ties than now" + ("" if len(tied) == len(pairs) else f" on {len(tied):,} of them")


def _items_target(held: Holdings, supports: Sequence[CriterionSupport]) -> Iterable[Capability]:
    pairs = [pair for support in supports for pair in support.pairs]
    if not pairs:
        yield Capability("target-items", False, "needs human labels on a pair")
        return
    pools = [pair.pool_size for pair in pairs]
    share = sum(pair.items for pair in pairs) / sum(pools)
    spread = f"{min(pools):,}" if min(pools) == max(pools) else f"{min(pools):,} to {max(pools):,}"
    why = f"pools of {spread} item{'s' if max(pools) > 1 else ''} per pair, {in_percent(share)} of them labelled"
    complete = sum(pair.items == pair.pool_size for pair in pairs)
    if complete:
        why += "; " + ("the pool is" if len(pairs) == 1 else f"{complete:,} of {len(pairs):,} pools are")
        why += " labelled completely, so that no item is left to chance"
    details: dict[str, object] = {"pool_least": min(pools), "pool_most": max(pools), "labelled_share": share}
    yield Capability("target-items", True, why, None, details)
    if held.clustered_by is not None and held.clusters is not None:
        made = counted(held.clusters, "independent unit")
        units = f"{held.items:,} items make {made} (by {held.clustered_by})"
        yield Capability("target-inputs", True, units, None, {"clusters": held.clusters})
    else:
        text = "every item counts as independent; if some share a document, say so in a column cluster of items"
        yield Capability("target-inputs", True, text)


def _agreement(study: Study) -> Capability:
    sizes: list[int] = []
    for spec, frame in ((TABLES["preferences"], study.preferences), (TABLES["ratings"], study.ratings)):
        if frame is not None:
            asked = [name for name in spec.question if name != "annotator"]
            rows = one_way_round(frame) if spec.pair_key else frame
            sizes += rows.group_by(asked).len()["len"].to_list()
    repeated = sum(size > 1 for size in sizes)
    if not repeated:
        return Capability("agreement", False, "no question was put to two annotators")
    why = f"{repeated:,} of {len(sizes):,} questions were put to two annotators or more"
    return Capability("agreement", True, why, None, {"repeated": repeated, "questions": len(sizes)})


def _derived(study: Study, held: Holdings, supports: Sequence[CriterionSupport]) -> Iterable[Capability]:
    """Criteria that follow from edits and spans, and what is missing where there might be some."""
    if study.spans is None and study.passages is not None:
        items = study.passages["item"].n_unique()
        why = (
            f"passages of {counted(items, 'item')} are there, but nobody said which of them support an answer "
            "(table spans)"
        )
        yield Capability("derived-criteria", False, why)
    if reason := why_not_derived(study):
        yield Capability("derived-criteria", False, reason)
        return
    tested = {support.criterion for support in supports}
    made = [f"{found.criterion} from {found.kind}" for found in held.derived]
    more = [found.name for found in derivable(study.tables) if found.name not in study.criteria]
    if made or more:
        parts = [listed_names(made)] * bool(made)
        if made and not tested & {found.criterion for found in held.derived}:
            parts.append("compare and audit take them where people labelled nothing else, or --criterion names them")
        parts += [f"{listed_names(more)} where --criterion names {'it' if len(more) == 1 else 'them'}"] * bool(more)
        details: dict[str, object] = {"criteria": [found.criterion for found in held.derived], "by_name": more}
        yield Capability("derived-criteria", True, "; ".join(parts), None, details)


def _metrics(study: Study, held: Holdings, supports: Sequence[CriterionSupport]) -> Iterable[Capability]:
    if not held.metrics or study.scores is None:
        return
    names = len({holding.metric for holding in held.metrics})
    shares = [holding.share for holding in held.metrics if holding.share is not None]
    said = f"{names:,} metric{'s' if names > 1 else ''} with {study.scores.height:,} scores"
    if shares:
        low, high = in_percent(min(shares)), in_percent(max(shares))
        said = f"{names:,} metric{'s' if names > 1 else ''} score{'s' if names == 1 else ''} "
        said += f"{low} of the outputs" if low == high else f"{low} to {high} of the outputs"
    scored = set(study.scores["item"].unique())
    labelled = _labelled_items(study)
    both = f", {len(scored & labelled):,} of the {len(labelled):,} items with human labels" if labelled else ""
    possible, why = _help(supports, "--metric", validated=any(of.validated for of in held.metrics))
    yield Capability("metrics-in-verdict", possible, f"{said}{both}; {why}", None, {"metrics": names})


def _judges(study: Study, held: Holdings, supports: Sequence[CriterionSupport]) -> Iterable[Capability]:
    if not held.judges or study.judge_preferences is None:
        return
    names = len({holding.judge for holding in held.judges})
    rows = study.judge_preferences.height
    both = len(set(study.judge_preferences["item"].unique()) & _labelled_items(study))
    possible, help_ = _help(supports, "--judge", validated=any(of.validated for of in held.judges))
    why = (
        f"{names:,} judge{'s' if names > 1 else ''} gave {rows:,} answers, on {both:,} items with human labels; {help_}"
    )
    yield Capability("judges-in-verdict", possible, why, None, {"judges": names})


def _help(supports: Sequence[CriterionSupport], option: str, *, validated: bool) -> tuple[bool, str]:
    """Whether metrics or judges can save labels at all (not how many), and how or why not; `validated`: any is."""
    pairs = [pair for support in supports for pair in support.pairs]
    if not pairs:
        return False, "they cannot replace human labels, and need some on a pair"
    if not validated:
        return False, "unvalidated: they need human labels on items that they judged"
    spare = [pair.pool_size - pair.items for pair in pairs]
    if not any(spare):
        return False, "they need items without labels"
    most = f"{max(spare):,} items" if len(pairs) == 1 else f"up to {max(spare):,} items of a pair"
    return True, f"with {option} they help through {most} without labels"


def _labelled_items(study: Study) -> set[str]:
    frames = (study.preferences, study.ratings)
    return set().union(*(frame["item"].unique().to_list() for frame in frames if frame is not None))


def blockers(held: Holdings, supports: Sequence[CriterionSupport]) -> tuple[Blocker, ...]:
    """What stands in the way of verdicts, with the labels that would remove it."""
    found: list[Blocker] = []
    if held.candidates < 2:
        text = "A comparison needs two systems: add the outputs of another one to outputs."
        return (Blocker("one-system", text),)
    if not any(support.pairs for support in supports):
        return (_no_comparisons(held),)
    for support in supports:
        if support.pairs:
            found += [*_unlabelled_pairs(support), *_thin_pairs(support), *_finer(support)]
        else:
            text = "no item has labels on two systems; label the same items for every system"
            found.append(Blocker("criterion-without-pairs", _on(support.criterion, text), criterion=support.criterion))
    return (*found, *_many_pairs(supports))


def _no_comparisons(held: Holdings) -> Blocker:
    pairs = held.candidates * (held.candidates - 1) // 2
    needs = {d: outcomes_enough(d, 1 - ASSUMED_TIES, direction_level(pairs)) for d in TARGET_DIFFERENCES}
    per_pair = " and ".join(f"{rounded(count)} items for a difference of {number(d)}" for d, count in needs.items())
    begun = "No human labels yet" if held.human_labels == 0 else "The human labels compare no two systems on one item"
    plural = "the pair" if pairs == 1 else f"each of the {pairs:,} pairs"
    most = needs[TARGET_DIFFERENCES[0]]
    text = (
        f"{begun}: {plural} needs about {per_pair}, one label each, if {in_percent(ASSUMED_TIES)} tie. "
        f"That is {rounded(most * pairs)} labels for {number(TARGET_DIFFERENCES[0])}"
    )
    if most > held.items:
        text += f", and more items than the {held.items:,} there are"
    text += ". tiebreak campaign create collects them, and stops each pair at its verdict."
    details: dict[str, object] = {"items_per_pair": {number(d): count for d, count in needs.items()}, "pairs": pairs}
    return Blocker("no-labels", text, most * pairs, None, details)


def _unlabelled_pairs(support: CriterionSupport) -> Iterable[Blocker]:
    missing, need = support.possible_pairs - len(support.pairs), support.others
    if need is not None:
        # Ratings belong to systems: what the missing pairs would cost depends on which systems they share.
        labels = None if support.from_ratings else math.ceil(missing * need.items * support.labels_per_item)
        cost = "" if labels is None else f" ({rounded(labels)} labels at the present number per item)"
        have, each = ("has", "") if missing == 1 else ("have", " each")
        text = (
            f"{missing:,} of {support.possible_pairs:,} pairs {have} no labels: about {rounded(need.items)} items"
            f"{each} would find a difference of {number(need.difference)} in 80% of studies{cost}, when all "
            f"{need.tested_together:,} pairs are tested together."
        )
        yield Blocker("pairs-without-labels", _on(support.criterion, text), labels, support.criterion)


def _thin_pairs(support: CriterionSupport) -> Iterable[Blocker]:
    thin = [
        pair
        for pair in support.pairs
        if pair.detectable_difference is None or pair.detectable_difference > LARGE_DIFFERENCE
    ]
    if thin:
        clustered = all(pair.clusters is not None for pair in thin)
        sizes = [pair.clusters or 0 if clustered else pair.items for pair in thin]
        spread = f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"
        who = f"{len(thin):,} of {len(support.pairs):,} labelled pairs {'has' if len(thin) == 1 else 'have'}"
        if len(support.pairs) == 1:
            who = "The pair has"
        units = f"clusters of items ({spread})" if clustered else f"items ({spread})"
        text = f"{who} too few {units} to find even a difference of {number(LARGE_DIFFERENCE)} in 80% of studies."
        if support.least is not None:
            text = f"{text[:-1]}; for any verdict {support.least}."
        details: dict[str, object] = {"pairs": len(thin)}
        yield Blocker("pairs-with-few-items", _on(support.criterion, text), None, support.criterion, details)


def _finer(support: CriterionSupport) -> Iterable[Blocker]:
    needs = [need for need in support.needs if need.further_items]
    if not needs:
        return
    pairs = len(support.pairs)
    parts = []
    for need in needs:
        waiting = pairs - need.pairs_ready
        who = "the pair" if pairs == 1 else f"each of the {pairs:,} pairs"
        if waiting < pairs:
            who = f"{waiting:,} of the {pairs:,} pairs"
        parts.append(
            f"a difference of {number(need.difference)} takes about {_from_to(need)} items for {who} "
            f"({rounded(need.further_labels)} further labels{' in all' if waiting > 1 else ''})"
        )
    only = (
        "" if support.others is None else f", with {'this pair' if pairs == 1 else 'the pairs that have labels'} alone"
    )
    text = f"To find smaller differences in 80% of studies{only}: " + ", and ".join(parts) + "."
    details: dict[str, object] = {"needs": [asdict(need) for need in needs]}
    yield Blocker(
        "smaller-differences", _on(support.criterion, text), needs[0].further_labels, support.criterion, details
    )


def _from_to(need: Need) -> str:
    """Items of a pair: of the one that needs least and of the one that needs most."""
    least, most = rounded(need.items_least), rounded(need.items)
    return most if least == most else f"{least} to {most}"


def _many_pairs(supports: Sequence[CriterionSupport]) -> Iterable[Blocker]:
    family = sum(len(support.pairs) for support in supports)
    if family >= MANY_PAIRS:
        text = (
            f"All {family:,} pairs are tested together, which costs labels: fewer systems (--systems), one baseline "
            "(--baseline) or one criterion (--criterion) make fewer pairs, and each of them needs less."
        )
        yield Blocker("many-pairs", text, None, None, {"pairs": family})


def _on(criterion: str | None, text: str) -> str:
    return text if criterion is None else f"{criterion}: {text}"

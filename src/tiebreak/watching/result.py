"""The verdicts of a ledger's last look: the one result that `watch`, `compare`, `report` and `plot` show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np

from tiebreak.checks import data_warnings
from tiebreak.comparison.judgement import anytime_results
from tiebreak.comparison.left_out import annotator_labels
from tiebreak.comparison.pair_result import criterion_result
from tiebreak.data.study import Study
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.study_evidence import CriterionEvidence, EvidenceSettings, study_evidence
from tiebreak.messages import watch as messages
from tiebreak.messages.notices import contradictions
from tiebreak.messages.own_analysis import without_promise
from tiebreak.messages.watch import LISTED_PROMISE, NOTHING_YET, labels_counted, watch_guarantee
from tiebreak.results.comparison_terms import Terms, comparison_terms, doubted
from tiebreak.results.progress import WatchedFamily, WatchProgress
from tiebreak.results.records import BEYOND_ITEMS, CONTRADICTION, NEW_ITEMS, CompareResult, CriterionResult, PairResult
from tiebreak.rules.family import correction_in_words
from tiebreak.watching.evidence import LedgerEvidence, WatchedEvidence
from tiebreak.watching.ledger import Ledger, Look
from tiebreak.watching.seeing import LABEL_KEYS, next_look, with_labels


def result_of(ledger: Ledger, study: Study) -> CompareResult:
    """What the looks so far amount to. The study adds texts, times and prices; labels are those of the ledger."""
    evidence, settings = LedgerEvidence(ledger), ledger.begun.settings
    price = study.settings.price_per_label
    found: list[PairResult] = []
    watched: list[WatchedEvidence] = []
    for family in ledger.families:
        of_family = evidence.of_family(family)
        how = settings.compared(family.alpha)
        judged = anytime_results([of.evidence for of in of_family], (), how, price, every_look=True)
        found += [_with_what_is_left(pair, of) for pair, of in zip(judged, of_family, strict=True)]
        watched += of_family
    seen = with_labels(study, ledger)
    criteria = list(dict.fromkeys(pair[0] for pair in ledger.pairs))
    how_seen = EvidenceSettings(settings.several, settings.tie_threshold, settings.target, ordered=False)
    tables = study_evidence(seen, criteria, how_seen)
    about_data = data_warnings(seen, tables, settings.several, of="looks")
    terms = doubted(_terms(ledger, criteria), about_data)
    fresh, moved = next_look(ledger, study, at="")
    pairs_of = {
        name: [pair for key, pair in zip(ledger.pairs, found, strict=True) if key[0] == name] for name in criteria
    }
    result = CompareResult(
        study={
            "name": study.name,
            "fingerprint": seen.label_fingerprint,
            "systems": sorted({name for pair in found for name in (pair.system_a, pair.system_b)}),
            "items": int(np.unique(np.concatenate([of.labelled_items for of in watched])).size),
            "price_per_label": price,
            "currency": study.settings.currency,
        },
        terms=terms,
        results=tuple(_criterion(pairs_of[of.criterion], of, tables.index, seen, terms) for of in tables.criteria),
        warnings=(
            *contradictions(found, looks=True),
            *messages.changed_since_look(moved.vanished.rows(), moved.changed.rows(), moved.regrouped, moved.texts),
            *messages.untested(moved.untested),
            *study.notices_for((), ()),
            *about_data,
        ),
        watch=_progress(ledger, watched, fresh),
        folder=None if study.path is None else study.path.resolve().name,
    )
    return result if settings.order == "shuffled" else without_promise(result, LISTED_PROMISE)


def _with_what_is_left(pair: PairResult, of: WatchedEvidence) -> PairResult:
    """The pair with items that count without an answer, and whether any are left that could count: to a plan for inputs
    like these new ones can be added, to a pool they cannot.
    """
    pair = replace(pair, abandoned=of.missing)
    if pair.verdict != "undecided" or CONTRADICTION in pair.flags:
        return pair
    if not of.room or (not of.left and of.evidence.sequence.pool_size is not None):
        nothing = replace(pair, items_to_decision=None, labels_to_decision=None, cost_to_decision=None)
        return replace(nothing, flags=tuple(flag for flag in pair.flags if flag != BEYOND_ITEMS), exhausted=True)
    return replace(pair, flags=(*pair.flags, NEW_ITEMS)) if not of.left else pair


def _criterion(
    pairs: Sequence[PairResult], tables: CriterionEvidence, index: ItemIndex, seen: Study, terms: Terms
) -> CriterionResult:
    """`tables`: the criterion in all labels that were seen, `seen`, whether they are evidence yet or not."""
    people = annotator_labels(seen, tables, index, "mean")
    labels = people.total if tables.from_ratings else sum(pair.labels for pair in pairs)  # a rating serves many pairs
    found = criterion_result(seen, tables, pairs, terms, people, labels=labels)
    return found if any(pair.labels for pair in pairs) else replace(found, for_paper=NOTHING_YET)


def _terms(ledger: Ledger, criteria: Sequence[str | None]) -> Terms:
    settings, shuffled = ledger.begun.settings, ledger.begun.settings.order == "shuffled"
    terms = comparison_terms(settings.compared(settings.alpha), len(ledger.pairs), "sealed", criteria)
    return replace(
        terms,
        guarantee=watch_guarantee(
            settings.multiplicity,
            settings.alpha,
            _families(ledger),
            labelled_before=any((ledger.tables[name]["look"] == 1).any() for name in LABEL_KEYS),
            excluded=bool(ledger.exclude),
        ),
        labels_in_words=labels_counted(ledger.per_item, settings.several),
        order="seen" if shuffled else "listed",
        looks="every" if shuffled else "uncontrolled",
        correction=_correction(ledger),
        only_pairs=settings.only_pairs,
        exclude=ledger.exclude or None,
    )


def _families(ledger: Ledger) -> tuple[WatchedFamily, ...]:
    return tuple(WatchedFamily(of.look, len(of.pairs), of.alpha) for of in ledger.families)


def _correction(ledger: Ledger) -> str:
    """The correction for many pairs, and that groups of pairs which joined at different looks share alpha."""
    settings, groups = ledger.begun.settings, len(ledger.families)
    words = correction_in_words(settings.multiplicity, settings.margin, at_one_look=False)
    return words if groups == 1 else f"{words} in each of {groups} groups that share alpha"


def _progress(ledger: Ledger, watched: Sequence[WatchedEvidence], fresh: Look) -> WatchProgress:
    return WatchProgress(
        looks=ledger.looks,
        begun_at=ledger.times[0],
        at=ledger.times[-1],
        labels=ledger.labels,
        per_item=ledger.per_item,
        waiting=sum(of.waiting for of in watched),
        beyond=sum(of.beyond for of in watched),
        outside=sum(of.outside for of in watched),
        unfinished=sum(of.unfinished for of in watched),
        late=sum(of.late for of in watched),
        tied=sum(of.tied for of in watched),
        excluded=sum(int((~ledger.tables[name]["counts"]).sum()) for name in LABEL_KEYS),
        missing=sum(of.missing for of in watched),
        of_ratings=ledger.tables["ratings"].height > 0,
        open_batches=max((of.open_batches for of in watched), default=0),
        planned=ledger.begun.settings.items_per_pair or _listed(ledger),
        unseen=sum(fresh.tables[name].height for name in LABEL_KEYS),
        families=_families(ledger),
        settings=asdict(ledger.begun.settings),
    )


def _listed(ledger: Ledger) -> int:
    """Items that were listed when the last pairs joined."""
    joined = max(family.look for family in ledger.families)
    return int((ledger.tables["items"]["look"] <= joined).sum())

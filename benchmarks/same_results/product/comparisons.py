"""`read_study`, `compare`, `evaluate_against` and `check`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.same_results.made_studies import MadeStudy
from benchmarks.same_results.product.plain import RULES, named, pair_name, taken
from benchmarks.same_results.records import Question, Record

import tiebreak
from tiebreak.data.settings import StudySettings
from tiebreak.data.study import Study


def read(folder: Path) -> Study:
    """The study in a folder."""
    return tiebreak.read_study(folder)


def of_tables(made: MadeStudy, price: float | None = None) -> Study:
    """A made study."""
    return Study.from_tables(
        items=made.items,
        outputs=made.outputs,
        preferences=made.labels or None,
        scores=made.scores,
        judge_preferences=made.judged,
        settings=StudySettings(price_per_label=price),
        name="made",
    )


def answer(study: Study, asked: Question) -> Any:
    """What `compare` says."""
    return tiebreak.compare(
        study,
        rule=RULES[asked.rule],
        alpha=asked.alpha,
        tie_threshold=asked.rating_tie,
        margin=asked.margin,
        target=asked.target,
        criteria=asked.criteria,
        several=asked.label_rule,
        annotators=asked.annotators,
        exclude=asked.without,
        raters=asked.raters,
        multiplicity=asked.correction,
        systems=asked.systems,
        baseline=asked.baseline,
        seed=asked.seed,
        metrics=asked.metrics,
        judges=asked.judges,
        metric_tie_threshold=asked.score_tie,
        human=asked.human,
        items_per_pair=asked.budget,
    )


def compared(study: Study, asked: Question) -> Record:
    """All numbers of `compare`."""
    result = answer(study, asked)
    return {
        "pairs_together": result.terms.family,
        "order_of_items": result.terms.order,
        "items": result.study["items"],
        "notices": notices(result.warnings),
        "criteria": named((str(found.criterion), _criterion(found)) for found in result.results),
    }


def notices(found: Iterable[Any]) -> Record:
    """How often each kind of notice was given."""
    return dict(sorted(Counter(notice.code for notice in found).items()))


def _criterion(found: Any) -> Record:
    return {
        **taken(found, labels="labels", people="annotators"),
        "order": taken(
            found.order,
            tiers="tiers",
            edges="edges",
            equivalences="equivalences",
            cycles="cycles",
        ),
        "agreement": named((kind.kind, _agreement_of_kind(kind)) for kind in found.agreement),
        "judges": named(
            (judge.name, taken(judge, both_orders="both_orders", disagreements="disagreements"))
            for judge in found.judges
        ),
        "pairs": named((pair_name(pair), _pair(pair)) for pair in found.pairs),
    }


def _agreement_of_kind(kind: Any) -> Record:
    return {"krippendorff": _agreement(kind.alpha), "agreeing": _agreement(kind.agreeing)}


def _agreement(found: Any) -> Record | None:
    if found is None:
        return None
    return taken(
        found,
        estimate="estimate",
        low="low",
        high="high",
        items="n_items",
        labels="n_labels",
        people="n_annotators",
    )


_REMARKS = ("interval-", "beyond-")  # on numbers that are in the record themselves


def _pair(pair: Any) -> Record:
    return {
        **taken(
            pair,
            verdict="verdict",
            also="also",
            items="items",
            labels="labels",
            units="units",
            identical="identical",
            clusters="clusters",
            wins="wins",
            ties="ties",
            losses="losses",
            e_a="e_a",
            e_b="e_b",
            e_equivalent="e_equivalent",
            p_value="p_value",
            chance_a_better="theta",
            posterior_means="mean_p",
            posterior_intervals="p_interval",
            tail_index="k_hat",
            decided_after_items="stopped_at",
            decided_after_labels="labels_at_stop",
            further_items="items_to_decision",
            further_labels="labels_to_decision",
            further_cost="cost_to_decision",
            budget_left="budget_left",
            equivalence_interval="equivalence_interval",
            effective_clusters="effective_clusters",
        ),
        "flags": [flag for flag in pair.flags if not flag.startswith(_REMARKS)],
        "difference": taken(pair.difference, estimate="estimate", low="low", high="high"),
        "metric": None if pair.metric is None else _metric(pair.metric),
    }


def _metric(use: Any) -> Record:
    return {
        **taken(
            use,
            names="names",
            confusion="confusion",
            agreement="agreement",
            unlabelled="unlabelled",
            used="used",
            decided_after_items_without="stopped_at_without",
            shares="shares",
        ),
        "saving": None if use.saved is None else taken(use.saved, share="share", low="low", high="high"),
    }


def against(study: Study, asked: Question, reference: Question) -> Record:
    """`evaluate_against`: the errors of one comparison beside another."""
    found = tiebreak.evaluate_against(answer(study, asked), answer(study, reference).to_dict())
    return {
        "same_labels": found.same_labels,
        "totals": _totals(found.totals),
        "criteria": named((str(of.criterion), _criterion_against(of)) for of in found.criteria),
    }


def _criterion_against(found: Any) -> Record:
    fields = {
        "verdict": "verdict",
        "reference_verdict": "reference_verdict",
        "error": "error",
        "divergence": "kld",
        "labels": "labels",
        "reference_labels": "reference_labels",
    }
    return {
        **taken(found, only_here="only_evaluation", only_in_reference="only_reference"),
        "totals": _totals(found.totals),
        "pairs": named((pair_name(pair), taken(pair, **fields)) for pair in found.pairs),
    }


def _totals(totals: Any) -> Record:
    return taken(
        totals,
        pairs="pairs",
        correct="correct",
        inversion="inversion",
        omission="omission",
        insertion="insertion",
        mean_divergence="mean_kld",
        pairs_with_divergence="kld_pairs",
        labels="labels",
        reference_labels="reference_labels",
        share_of_labels="labels_share",
    )

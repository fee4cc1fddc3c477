"""What the result of a criterion holds beside its verdicts, of a finished set as of a watched study."""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.comparison.agreement import study_agreement
from tiebreak.comparison.people import system_ratings
from tiebreak.data.derived_criteria import DERIVED
from tiebreak.data.study import Study
from tiebreak.evidence.study_evidence import CriterionEvidence
from tiebreak.results.annotators import Annotators
from tiebreak.results.order import order_of
from tiebreak.results.records import CriterionResult, JudgeOrders, PairResult
from tiebreak.results.terms import Terms
from tiebreak.results.words import paper_sentence


def criterion_result(
    study: Study,
    tables: CriterionEvidence,
    pairs: Sequence[PairResult],
    terms: Terms,
    people: Annotators,
    *,
    labels: int,
    advice: tuple[str, ...] = (),
    judges: tuple[JudgeOrders, ...] = (),
    seed: int = 0,
) -> CriterionResult:
    """The verdicts of `pairs`, with their order, what people agree on, and the sentence for a paper.

    `people`: who gave the labels of the criterion, nobody where metrics alone were asked; `labels`: those that are
    evidence; `seed`: of the resampling behind the intervals of agreement.
    """
    names = tuple(sorted(people.names))
    compared = {name for pair in pairs for name in (pair.system_a, pair.system_b)}
    return CriterionResult(
        criterion=tables.criterion,
        pairs=tuple(pairs),
        order=order_of(
            [name for pair in pairs for name in (pair.system_a, pair.system_b)],
            [(pair.system_a, pair.system_b, pair.verdict, pair.also) for pair in pairs],
        ),
        annotators=names,
        labels=labels,
        agreement=study_agreement(study, tables.criterion, seed) if terms.human else (),
        advice=advice,
        sentence=paper_sentence(
            pairs,
            terms,
            criterion=tables.criterion,
            from_ratings=tables.from_ratings > 0,
            people=len(names),
            labels=labels,
            derived_from=DERIVED[tables.criterion].source if tables.criterion in study.derived else None,
        ),
        judges=judges,
        people=people,
        ratings=system_ratings(study, tables.criterion) if terms.human else (),
        not_compared=tuple(name for name in study.candidates if name not in compared),
    )

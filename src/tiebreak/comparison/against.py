"""An evaluation beside a fuller one: which of its verdicts are wrong and how, and how far its shares are off.

The reference is a saved `compare --json` document, as a rule a sign test on all human labels. Verdicts are sorted
into the four outcomes of metric-error-correction (its List 1), shares are compared by its Kullback-Leibler divergence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tiebreak.errors import InputError, Problem
from tiebreak.kernels.partial_order import ERROR_TYPES, VERDICT_CODES, ErrorType, error_types, kl_from_humans
from tiebreak.numbers import listed_names
from tiebreak.records import Verdict, document
from tiebreak.results.records import CompareResult
from tiebreak.results.saved import SavedCriterion, SavedPair, SavedResult, load_result, parse_result
from tiebreak.results.settings import CompareSettings
from tiebreak.settings.setting import settings_of

__all__ = ["CriterionAgainst", "EvaluationComparison", "PairAgainst", "Totals", "evaluate_against", "load_result"]

_COMPARED_TERMS: Final = tuple(named.name for named in settings_of(CompareSettings) if named.setting.against)


@dataclass(frozen=True, slots=True)
class PairAgainst:
    """One pair that both evaluations have, with the systems in the order of the evaluation, not of the reference.

    `verdict`, `reference_verdict`: both relative to that order. `error`: what the verdict is beside the reference's.
    `kld`: KL(p of the evaluation || p_human of the reference) in nats, None where either has no evidence.
    `labels`, `reference_labels`: labels on the items of the pair.
    """

    system_a: str
    system_b: str
    verdict: Verdict
    reference_verdict: Verdict
    error: ErrorType
    kld: float | None
    labels: int
    reference_labels: int


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts over the pairs that both evaluations have.

    `correct`, `inversion`, `omission`, `insertion` sum to `pairs`. `mean_kld`: the mean over the `kld_pairs` pairs
    that have a divergence, None without any. `labels`, `reference_labels`: sums over pairs, so that a rating that
    serves several pairs counts in each of them, on both sides alike.
    """

    pairs: int
    correct: int
    inversion: int
    omission: int
    insertion: int
    mean_kld: float | None
    kld_pairs: int
    labels: int
    reference_labels: int

    def count(self, error: ErrorType) -> int:
        """How many pairs have this outcome."""
        found: int = getattr(self, error)
        return found

    def share(self, error: ErrorType) -> float | None:
        """The share of pairs with this outcome, None without pairs."""
        return self.count(error) / self.pairs if self.pairs else None

    @property
    def labels_share(self) -> float | None:
        """Labels of the evaluation per label of the reference, None if the reference has none."""
        return self.labels / self.reference_labels if self.reference_labels else None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: `{pairs, counts{...}, shares{...}, mean_kld, kld_pairs, labels, ...}`."""
        counts, shares = ({error: of(error) for error in ERROR_TYPES} for of in (self.count, self.share))
        return document(self, *ERROR_TYPES, counts=counts, shares=shares, labels_share=self.labels_share)


@dataclass(frozen=True, slots=True)
class CriterionAgainst:
    """One criterion of both evaluations; `only_evaluation`, `only_reference`: pairs that the other side lacks."""

    criterion: str | None
    pairs: tuple[PairAgainst, ...]
    totals: Totals
    only_evaluation: tuple[tuple[str, str], ...]
    only_reference: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class EvaluationComparison:
    """What `evaluate_against` found; `totals` go over all criteria that both sides have.

    `study`, `reference_study`: their names; `same_labels`: both rest on the same human labels. `terms_that_differ`:
    (name, value here, value in the reference). Criteria that one side lacks are named and left out.
    """

    study: str
    reference_study: str
    same_labels: bool
    terms_that_differ: tuple[tuple[str, object, object], ...]
    criteria: tuple[CriterionAgainst, ...]
    totals: Totals
    criteria_only_evaluation: tuple[str | None, ...]
    criteria_only_reference: tuple[str | None, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; the value of the key `against` of `compare --json`."""
        terms = {name: {"evaluation": here, "reference": there} for name, here, there in self.terms_that_differ}
        return document(self, terms_that_differ=terms)


def evaluate_against(
    result: CompareResult | dict[str, object], reference: dict[str, object], *, reference_name: str = "the reference"
) -> EvaluationComparison:
    """Sort the verdicts of `result` by what the human evaluation `reference` says of the same pairs.

    `result`: from `compare`, or a saved document. `reference`: a saved document (`load_result`). `reference_name`:
    what errors call it, such as its file. Criteria are matched by name, pairs by their two systems in either order.
    `equivalent` and `undecided` both count as "no better system". p_human comes from the reference's wins, ties and
    losses; see `kernels.partial_order.kl_from_humans` for outcomes that no human chose.

    Raises:
        InputError: a document that is none, a reference without human labels (`--no-human`), or nothing in common.
    """
    here = parse_result(result.to_dict() if isinstance(result, CompareResult) else result, "the evaluation")
    there = parse_result(reference, reference_name)
    if there.terms.get("human") is False:
        message = "key terms.human is false: it was decided without human labels, so it is no reference for errors"
        raise InputError([Problem(reference_name, message)])
    known = {saved.criterion: saved for saved in there.results}
    shared = {saved.criterion for saved in here.results} & set(known)
    criteria = tuple(_criterion(saved, known[saved.criterion]) for saved in here.results if saved.criterion in shared)
    pairs = [pair for criterion in criteria for pair in criterion.pairs]
    if not pairs:
        raise InputError([_nothing_in_common(here, there, reference_name)])
    return EvaluationComparison(
        study=here.study.name,
        reference_study=there.study.name,
        same_labels=here.study.fingerprint == there.study.fingerprint,
        terms_that_differ=_differing_terms(here, there),
        criteria=criteria,
        totals=_totals(pairs),
        criteria_only_evaluation=tuple(saved.criterion for saved in here.results if saved.criterion not in shared),
        criteria_only_reference=tuple(saved.criterion for saved in there.results if saved.criterion not in shared),
    )


def _criterion(here: SavedCriterion, there: SavedCriterion) -> CriterionAgainst:
    known = {pair.key: pair for pair in there.pairs}
    ours = {pair.key for pair in here.pairs}
    both = [(pair, known[pair.key].oriented(pair.system_a)) for pair in here.pairs if pair.key in known]
    errors = error_types(
        [VERDICT_CODES[pair.verdict] for pair, _ in both], [VERDICT_CODES[other.verdict] for _, other in both]
    )
    pairs = tuple(
        PairAgainst(
            system_a=pair.system_a,
            system_b=pair.system_b,
            verdict=pair.verdict,
            reference_verdict=other.verdict,
            error=ERROR_TYPES[error],
            kld=_kld(pair, other),
            labels=pair.labels,
            reference_labels=other.labels,
        )
        for (pair, other), error in zip(both, errors, strict=True)
    )
    return CriterionAgainst(
        criterion=here.criterion,
        pairs=pairs,
        totals=_totals(pairs),
        only_evaluation=tuple((pair.system_a, pair.system_b) for pair in here.pairs if pair.key not in known),
        only_reference=tuple((pair.system_a, pair.system_b) for pair in there.pairs if pair.key not in ours),
    )


def _kld(pair: SavedPair, reference: SavedPair) -> float | None:
    if pair.shares is None or not any(reference.counts):
        return None
    return float(kl_from_humans([pair.shares], [reference.counts])[0])


def _totals(pairs: Sequence[PairAgainst]) -> Totals:
    divergences = [pair.kld for pair in pairs if pair.kld is not None]
    found: dict[str, int] = {error: sum(pair.error == error for pair in pairs) for error in ERROR_TYPES}
    return Totals(
        pairs=len(pairs),
        mean_kld=sum(divergences) / len(divergences) if divergences else None,
        kld_pairs=len(divergences),
        labels=sum(pair.labels for pair in pairs),
        reference_labels=sum(pair.reference_labels for pair in pairs),
        **found,
    )


def _differing_terms(here: SavedResult, there: SavedResult) -> tuple[tuple[str, object, object], ...]:
    """Settings that both documents state and that change what a verdict or a share means."""
    both = [name for name in _COMPARED_TERMS if name in here.terms and name in there.terms]
    return tuple((name, here.terms[name], there.terms[name]) for name in both if here.terms[name] != there.terms[name])


def _nothing_in_common(here: SavedResult, there: SavedResult, name: str) -> Problem:
    ours, theirs = _names(here.results), _names(there.results)
    if not set(ours) & set(theirs):
        what = f"no criterion in common: it has {', '.join(theirs) or 'none'}; here are {', '.join(ours) or 'none'}"
    else:
        what = (
            f"no pair of systems in common: it has {_some_systems(there)}; here are {_some_systems(here)}. Is it "
            "the same study, with the same names of systems?"
        )
    return Problem(name, f"cannot be compared, {what}")


def _names(criteria: Sequence[SavedCriterion]) -> list[str]:
    return ["(unnamed)" if saved.criterion is None else saved.criterion for saved in criteria]


def _some_systems(result: SavedResult, most: int = 6) -> str:
    names = sorted({name for saved in result.results for pair in saved.pairs for name in pair.key})
    return (listed_names(names[:most]) + (", ..." if len(names) > most else "")) or "none"

"""A number of items per pair, fixed beforehand, and one look at its end: the test that `compare` takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from tiebreak.campaign.stopping.rule import MeasureFacts, StoppingRule, Summary
from tiebreak.records import UnitValue, Verdict
from tiebreak.results.comparison_terms import AT_THE_END, ONE_LOOK, finished_guarantee, finished_validity
from tiebreak.results.guarantee import CERTAIN, Guarantee
from tiebreak.results.records import ALL_LABELLED, TOO_FEW
from tiebreak.results.terms import Looks
from tiebreak.rules import finished_running
from tiebreak.rules.finished import TEST_WORDS, TestKind, kind_of_test
from tiebreak.rules.finished_family import decide_finished, finished_verdicts
from tiebreak.rules.finished_running import LookEvidence, LookPlan, LookTests
from tiebreak.settings.protocol import DecisionSettings


class FixedSample(StoppingRule[LookPlan, LookEvidence]):
    """Nothing is decided, and nothing tested, before every pair has all its units."""

    name: ClassVar[str] = "fixed"
    title: ClassVar[str] = "one look at a number of items fixed beforehand"
    looks: ClassVar[Looks] = "one"
    takes_margin: ClassVar[bool] = True
    needs_items_per_pair: ClassVar[bool] = True

    def described(self, plans: Sequence[LookPlan]) -> str:
        """The tests by name."""
        return "; ".join(TEST_WORDS[kind] for kind in _kinds(plans))

    def guarantee(self, plans: Sequence[LookPlan], settings: DecisionSettings) -> Guarantee:
        """At the end only."""
        return finished_guarantee(settings, _kinds(plans))

    def prepare(self, facts: Sequence[MeasureFacts], settings: DecisionSettings, batch: int) -> list[LookPlan]:  # noqa: ARG002
        """The number of units, and what they are."""
        return [LookPlan(of.most_units, of.sizes, of.asked, of.pool_size, of.scale) for of in facts]

    def start(self, plan: LookPlan) -> LookEvidence:  # noqa: ARG002
        """No values."""
        return LookEvidence()

    def advance(self, plan: LookPlan, evidence: LookEvidence, value: UnitValue) -> LookEvidence:
        """One more value."""
        return finished_running.advance(plan, evidence, value)

    def decide(
        self,
        plans: Sequence[LookPlan],
        evidence: Sequence[LookEvidence],
        settings: DecisionSettings,
        changed: int,  # noqa: ARG002
    ) -> Mapping[int, Verdict]:
        """All pairs at once, at the end."""
        if not _at_the_end(plans, evidence):
            return {}
        tests = LookTests(plans, evidence)
        found = finished_verdicts(tests, settings.alpha, settings.multiplicity, settings.margin)
        return {k: verdict for k, verdict in enumerate(found.verdicts) if verdict != "undecided"}

    def next_look(self, plan: LookPlan, evidence: LookEvidence) -> int:  # noqa: ARG002
        """At the end."""
        return plan.units

    def summary(
        self, plans: Sequence[LookPlan], evidence: Sequence[LookEvidence], settings: DecisionSettings
    ) -> list[Summary]:
        """That of `compare` on the same labels; before the end, as it would be if this were the end."""
        tests, over = LookTests(plans, evidence), _at_the_end(plans, evidence)
        family = decide_finished(tests, settings.alpha, settings.multiplicity, settings.margin)
        validity = finished_validity(settings, family, len(plans), ONE_LOOK if over else AT_THE_END)
        found = []
        for k, (plan, of) in enumerate(zip(plans, evidence, strict=True)):
            whole = over and plan.pool_size == plan.units and not of.lacks_answers
            too_few = over and family.verdicts[k] == "undecided" and tests.smallest_p[k] > family.level
            found.append(
                Summary(
                    estimate=float(tests.estimates[k]),
                    low=float(family.low[k]),
                    high=float(family.high[k]),
                    validity=CERTAIN if whole else validity,
                    p_value=min(1.0, 2 * float(min(tests.p_a[k], tests.p_b[k]))),
                    equivalence_interval=family.equivalence_interval(k),
                    equivalent=bool(over and family.equivalent[k]),
                    effective_clusters=finished_running.effective_units(plan, of),
                    flags=(*((ALL_LABELLED,) if whole else ()), *((TOO_FEW,) if too_few else ())),
                )
            )
        return found


def _at_the_end(plans: Sequence[LookPlan], evidence: Sequence[LookEvidence]) -> bool:
    return all(of.done >= plan.units for plan, of in zip(plans, evidence, strict=True))


def _kinds(plans: Sequence[LookPlan]) -> tuple[TestKind, ...]:
    """The tests that the pairs get, each once."""
    kinds = [
        kind_of_test(
            clustered=of.asked is not None,
            of_means=False,
            in_pool=of.pool_size is not None,
            whole=of.pool_size == of.units,
        )
        for of in plans
    ]
    return tuple(dict.fromkeys(kinds))

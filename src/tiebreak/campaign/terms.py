"""What the verdicts of a campaign mean: its protocol, as far as verdicts depend on it."""

from __future__ import annotations

from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.plan import CampaignPlan
from tiebreak.campaign.stopping import STOPPING_RULES
from tiebreak.results.comparison_terms import campaign_correction
from tiebreak.results.terms import Terms
from tiebreak.results.words.watch import LISTED_PROMISE
from tiebreak.rules.registry import RULES


def campaign_terms(plan: CampaignPlan) -> Terms:
    """The terms of a campaign, which were fixed before its first label."""
    protocol = plan.protocol
    decision, policy = protocol.decision, LABELLING_POLICIES[protocol.labels.labelling]
    rule = STOPPING_RULES[decision.rule]
    listed = protocol.order.order == "listed" and rule.looks == "every"
    return Terms(
        rule=decision.rule,
        title=rule.described(plan.rule_plans),
        level=RULES[decision.rule].level,
        alpha=decision.alpha,
        guarantee=LISTED_PROMISE if listed else rule.guarantee(plan.rule_plans, decision),
        several=protocol.labels.labelling,
        labels_in_words=policy.in_words(protocol.labels.per_item),
        family=len(plan.tracks),
        order="sealed" if protocol.order.order == "shuffled" else "listed",
        looks="uncontrolled" if listed else rule.looks,
        margin=decision.margin,
        target=decision.target,
        multiplicity=decision.multiplicity,
        correction=campaign_correction(decision),
        criteria=(protocol.criterion,),
        systems=protocol.systems or None,
        baseline=protocol.baseline,
        only_pairs=protocol.only_pairs,
        metrics=decision.metrics,
        judges=decision.judges,
        items_per_pair=protocol.budget.items_per_pair,
        seed=protocol.order.seed,
    )

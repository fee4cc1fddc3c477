"""The protocol of a campaign: everything that must be fixed before the first label.

A verdict's error rate holds for the protocol that was written down beforehand. So the protocol is frozen, checked as
a whole, and has a fingerprint that every log of events begins with.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.pair_policies import PAIR_POLICIES
from tiebreak.campaign.settings import (
    ITEM_ORDERS,
    Budget,
    DecisionSettings,
    LabelSettings,
    OrderSettings,
    PairSettings,
    PeopleSettings,
)
from tiebreak.campaign.stopping import STOPPING_RULES
from tiebreak.decisions.methods import MULTIPLICITIES
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.records import OUTCOME_CODES, TARGETS

DEFAULT_QUESTION: Final = "Which text is better?"


class ProtocolError(UsageError):
    """A protocol that cannot be, or cannot decide anything; `key` is the place in the TOML file, such as
    `decision.alpha`.
    """

    def __init__(self, key: str, value: object, message: str) -> None:
        super().__init__(f"{key} = {json.dumps(value, default=str, ensure_ascii=False)}: {message}")
        self.key, self.value, self.message = key, value, message


@dataclass(frozen=True, slots=True)
class Protocol:
    """A whole campaign. `systems` () takes all of the study; `baseline`: only pairs with it.

    Raises:
        ProtocolError: an impossible value, or a combination that cannot decide anything.
    """

    systems: tuple[str, ...] = ()
    baseline: str | None = None
    criterion: str | None = None
    question: str = DEFAULT_QUESTION
    instructions: str = ""
    labels: LabelSettings = field(default_factory=LabelSettings)
    pairs: PairSettings = field(default_factory=PairSettings)
    budget: Budget = field(default_factory=Budget)
    decision: DecisionSettings = field(default_factory=DecisionSettings)
    order: OrderSettings = field(default_factory=OrderSettings)
    people: PeopleSettings = field(default_factory=PeopleSettings)

    def __post_init__(self) -> None:
        _check_systems(self)
        _check_labels(self.labels)
        _check_pairs(self.pairs)
        _check_decision(self.decision)
        _check_order(self.order)
        _check_people(self.people)
        _check_budget(self)
        _check_together(self)

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of all that the protocol says."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    @property
    def most_labels_per_item(self) -> int:
        """Labels that one item may take under the labelling policy."""
        return LABELLING_POLICIES[self.labels.policy].most_labels(self.labels.annotators)

    @property
    def most_labels(self) -> int | None:
        """Labels that the budget pays for, from labels and money together; None: no limit."""
        limits = [self.budget.labels] if self.budget.labels is not None else []
        if self.budget.money is not None and self.labels.price:
            limits.append(math.floor(self.budget.money / self.labels.price + 1e-9))
        return min(limits) if limits else None

    def to_dict(self) -> dict[str, Any]:
        """All settings, nested as in the TOML file."""
        return asdict(self)


def _choice(key: str, value: str, allowed: Any) -> None:
    if value not in allowed:
        hint = did_you_mean(str(value), allowed)
        raise ProtocolError(key, value, f"must be one of {', '.join(allowed)}{hint}")


def _whole(key: str, value: int | None, least: int) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
        raise ProtocolError(key, value, f"must be a whole number of at least {least}")


def _between(key: str, value: float | None, low: float, high: float, meaning: str) -> None:
    if value is not None and not low < value < high:
        raise ProtocolError(key, value, f"must be above {low:g} and below {high:g}: {meaning}")


def _check_systems(protocol: Protocol) -> None:
    if protocol.systems and len(set(protocol.systems)) < max(2, len(protocol.systems)):
        raise ProtocolError("systems", protocol.systems, "must name at least two systems, each once (or none: all)")
    if protocol.baseline is not None and protocol.systems and protocol.baseline not in protocol.systems:
        raise ProtocolError("baseline", protocol.baseline, "is not among the systems")
    if not protocol.question.strip():
        raise ProtocolError("question", protocol.question, "annotators need a question")


def _check_labels(labels: LabelSettings) -> None:
    _choice("labels.policy", labels.policy, LABELLING_POLICIES)
    _whole("labels.annotators", labels.annotators, 1)
    policy = LABELLING_POLICIES[labels.policy]
    if policy.takes_number and labels.annotators % 2 == 0:
        raise ProtocolError("labels.annotators", labels.annotators, "a majority needs an odd number of people")
    if policy.takes_number and labels.annotators < 3:
        raise ProtocolError("labels.annotators", labels.annotators, "a majority needs 3 people or more")
    if not policy.takes_number and labels.annotators != 1:
        raise ProtocolError("labels.annotators", labels.annotators, f"{policy.name} takes no number; use majority")
    if labels.price is not None and not 0 <= labels.price < math.inf:
        raise ProtocolError("labels.price", labels.price, "must be a number of 0 or more")


def _check_pairs(pairs: PairSettings) -> None:
    _choice("pairs.policy", pairs.policy, PAIR_POLICIES)
    _whole("pairs.batch", pairs.batch, 1)
    _whole("pairs.open", pairs.open, 1)


def _check_decision(decision: DecisionSettings) -> None:
    _choice("decision.rule", decision.rule, STOPPING_RULES)
    _choice("decision.multiplicity", decision.multiplicity, MULTIPLICITIES)
    _choice("decision.target", decision.target, TARGETS)
    _between("decision.alpha", decision.alpha, 0.0, 1.0, "a chance of error such as 0.05")
    if decision.alpha < 1e-12:
        raise ProtocolError("decision.alpha", decision.alpha, "must be at least 1e-12")
    _between("decision.margin", decision.margin, 0.0, 1.0, "a difference between preference shares such as 0.1")
    rule = STOPPING_RULES[decision.rule]
    if decision.margin is not None and not rule.takes_margin:
        raise ProtocolError("decision.margin", decision.margin, f"the rule {rule.name} cannot find equivalence")
    automatic = (*decision.metrics, *decision.judges)
    if automatic and not rule.takes_metric:
        raise ProtocolError("decision.metrics", automatic, f"the rule {rule.name} uses human labels only")


def _check_order(order: OrderSettings) -> None:
    _choice("order.items", order.items, ITEM_ORDERS)
    _whole("order.seed", order.seed, 0)


def _check_people(people: PeopleSettings) -> None:
    _whole("people.most_labels", people.most_labels, 1)
    _whole("people.gold_every", people.gold_every, 2)
    _whole("people.gold_after", people.gold_after, 1)
    if not 0 < people.hours < math.inf:
        raise ProtocolError("people.hours", people.hours, "must be a number of hours above 0")
    if not 0 <= people.gold_share <= 1:
        raise ProtocolError("people.gold_share", people.gold_share, "must be a share between 0 and 1")
    for gold in people.gold:
        _choice("people.gold", gold.outcome, tuple(OUTCOME_CODES))


def _check_budget(protocol: Protocol) -> None:
    budget, price = protocol.budget, protocol.labels.price
    _whole("budget.labels", budget.labels, 1)
    _whole("budget.items_per_pair", budget.items_per_pair, 1)
    if budget.money is not None and not 0 < budget.money < math.inf:
        raise ProtocolError("budget.money", budget.money, "must be a number above 0")
    if budget.money is not None and not price:
        raise ProtocolError("budget.money", budget.money, "needs labels.price, the price of one label")
    batch = protocol.pairs.batch * protocol.most_labels_per_item
    if protocol.most_labels is not None and protocol.most_labels < batch:
        key = "budget.labels" if protocol.most_labels == budget.labels else "budget.money"
        raise ProtocolError(
            key, protocol.most_labels, f"pays for less than one batch of one pair, which may take {batch} labels"
        )


def _check_together(protocol: Protocol) -> None:
    rule, decision = STOPPING_RULES[protocol.decision.rule], protocol.decision
    if rule.needs_items_per_pair and protocol.budget.items_per_pair is None:
        raise ProtocolError("budget.items_per_pair", None, f"the rule {rule.name} needs the number of items per pair")
    if decision.rule == "posterior" and not (decision.metrics or decision.judges):
        raise ProtocolError("decision.metrics", (), "the rule posterior needs at least one metric or judge")

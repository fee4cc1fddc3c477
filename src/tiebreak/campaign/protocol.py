"""The protocol of a campaign: everything that must be fixed before the first label.

A verdict's error rate holds for the protocol that was written down beforehand. So the protocol is frozen, checked as
a whole, and has a fingerprint that every log of events begins with.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.settings import (
    ITEM_ORDERS,
    PAIR_POLICY_NAMES,
    Budget,
    DecisionSettings,
    LabelSettings,
    OrderSettings,
    PairSettings,
    PeopleSettings,
)
from tiebreak.campaign.stopping import STOPPING_RULES
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.records import OUTCOME_CODES, TARGETS
from tiebreak.rules.registry import MULTIPLICITIES

DEFAULT_QUESTION: Final = "Which text is better?"


class ProtocolError(UsageError):
    """A protocol that cannot be, or cannot decide anything; `key` is the place in the TOML file, such as
    `decision.alpha`. `others`: what else is wrong with it; the text says all of it.
    """

    def __init__(self, key: str, value: object, message: str, others: Sequence[ProtocolError] = ()) -> None:
        shown = "" if value is None else f" = {json.dumps(value, default=str, ensure_ascii=False)}"
        super().__init__("\n".join([f"{key}{shown}: {message}", *map(str, others)]))
        self.key, self.value, self.message, self.others = key, value, message, tuple(others)


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
        problems = [*_problems(self)]
        if problems:
            first = problems[0]
            raise ProtocolError(first.key, first.value, first.message, problems[1:])

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of all that the protocol says; equal protocols have the same."""
        return hashlib.sha256(json.dumps(_plain(asdict(self)), sort_keys=True).encode()).hexdigest()

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

    @property
    def tightest_budget(self) -> str:
        """The key of the budget that `most_labels` comes from."""
        return "budget.labels" if self.most_labels == self.budget.labels else "budget.money"

    def to_dict(self) -> dict[str, Any]:
        """All settings, nested as in the TOML file."""
        return asdict(self)


def _plain(value: Any) -> Any:
    """Numbers that are equal written alike: 1.0 as 1."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


# ---- checks: each gives all that is wrong with one part ---------------------------------------------------------


def _problems(protocol: Protocol) -> Iterator[ProtocolError]:
    """All that is wrong; what needs several parts is looked at only where each of them is in order."""
    parts = [
        *_check_systems(protocol),
        *_check_labels(protocol.labels),
        *_check_pairs(protocol.pairs),
        *_check_decision(protocol.decision),
        *_check_order(protocol.order),
        *_check_people(protocol.people),
        *_check_budget(protocol.budget),
    ]
    yield from parts or _check_together(protocol)


def _choice(key: str, value: str, allowed: Any) -> Iterator[ProtocolError]:
    if value not in allowed:
        hint = did_you_mean(str(value), allowed)
        yield ProtocolError(key, value, f"must be one of {', '.join(allowed)}{hint}")


def _whole(key: str, value: int | None, least: int) -> Iterator[ProtocolError]:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
        yield ProtocolError(key, value, f"must be a whole number of at least {least}")


def _between(key: str, value: float | None, low: float, high: float, meaning: str) -> Iterator[ProtocolError]:
    if value is not None and not low < value < high:
        yield ProtocolError(key, value, f"must be above {low:g} and below {high:g}: {meaning}")


def _check_systems(protocol: Protocol) -> Iterator[ProtocolError]:
    if protocol.systems and len(set(protocol.systems)) < max(2, len(protocol.systems)):
        yield ProtocolError("systems", protocol.systems, "must name at least two systems, each once (or none: all)")
    if protocol.baseline is not None and protocol.systems and protocol.baseline not in protocol.systems:
        yield ProtocolError("baseline", protocol.baseline, "is not among the systems")
    if not protocol.question.strip():
        yield ProtocolError("question", protocol.question, "annotators need a question")


def _check_labels(labels: LabelSettings) -> Iterator[ProtocolError]:
    yield from _choice("labels.policy", labels.policy, LABELLING_POLICIES)
    yield from _whole("labels.annotators", labels.annotators, 1)
    policy = LABELLING_POLICIES.get(labels.policy)
    if policy is not None and policy.takes_number and labels.annotators % 2 == 0:
        yield ProtocolError("labels.annotators", labels.annotators, "a majority needs an odd number of people")
    elif policy is not None and policy.takes_number and labels.annotators < 3:
        yield ProtocolError("labels.annotators", labels.annotators, "a majority needs 3 people or more")
    elif policy is not None and not policy.takes_number and labels.annotators != 1:
        yield ProtocolError("labels.annotators", labels.annotators, f"{policy.name} takes no number; use majority")
    if labels.price is not None and not 0 <= labels.price < math.inf:
        yield ProtocolError("labels.price", labels.price, "must be a number of 0 or more")


def _check_pairs(pairs: PairSettings) -> Iterator[ProtocolError]:
    yield from _choice("pairs.policy", pairs.policy, PAIR_POLICY_NAMES)
    yield from _whole("pairs.batch", pairs.batch, 1)
    yield from _whole("pairs.open", pairs.open, 1)


def _check_decision(decision: DecisionSettings) -> Iterator[ProtocolError]:
    yield from _choice("decision.rule", decision.rule, STOPPING_RULES)
    yield from _choice("decision.multiplicity", decision.multiplicity, MULTIPLICITIES)
    yield from _choice("decision.target", decision.target, TARGETS)
    yield from _between("decision.alpha", decision.alpha, 0.0, 1.0, "a chance of error such as 0.05")
    if 0 < decision.alpha < 1e-12:
        yield ProtocolError("decision.alpha", decision.alpha, "must be at least 1e-12")
    yield from _between(
        "decision.margin", decision.margin, 0.0, 1.0, "a difference between preference shares such as 0.1"
    )
    rule = STOPPING_RULES.get(decision.rule)
    if rule is None:
        return
    if decision.margin is not None and not rule.takes_margin:
        yield ProtocolError("decision.margin", decision.margin, f"the rule {rule.name} cannot find equivalence")
    for key, names in (("decision.metrics", decision.metrics), ("decision.judges", decision.judges)):
        if names and not rule.takes_metric:
            yield ProtocolError(key, names, f"the rule {rule.name} uses human labels only")


def _check_order(order: OrderSettings) -> Iterator[ProtocolError]:
    yield from _choice("order.items", order.items, ITEM_ORDERS)
    yield from _whole("order.seed", order.seed, 0)


def _check_people(people: PeopleSettings) -> Iterator[ProtocolError]:
    yield from _whole("people.most_labels", people.most_labels, 1)
    yield from _whole("people.gold_every", people.gold_every, 2)
    yield from _whole("people.gold_after", people.gold_after, 1)
    if not 0 < people.hours < math.inf:
        yield ProtocolError("people.hours", people.hours, "must be a number of hours above 0")
    if not 0 <= people.gold_share <= 1:
        yield ProtocolError("people.gold_share", people.gold_share, "must be a share between 0 and 1")
    for gold in people.gold:
        yield from _choice("people.gold", gold.outcome, tuple(OUTCOME_CODES))


def _check_budget(budget: Budget) -> Iterator[ProtocolError]:
    yield from _whole("budget.labels", budget.labels, 1)
    yield from _whole("budget.items_per_pair", budget.items_per_pair, 1)
    if budget.money is not None and not 0 < budget.money < math.inf:
        yield ProtocolError("budget.money", budget.money, "must be a number above 0")


def _check_together(protocol: Protocol) -> Iterator[ProtocolError]:
    budget, rule = protocol.budget, STOPPING_RULES[protocol.decision.rule]
    if rule.needs_items_per_pair and budget.items_per_pair is None:
        yield ProtocolError("budget.items_per_pair", None, f"the rule {rule.name} needs the number of items per pair")
    if budget.money is not None and not protocol.labels.price:
        yield ProtocolError("budget.money", budget.money, "needs labels.price, the price of one label")
        return
    batch, most = protocol.pairs.batch * protocol.most_labels_per_item, protocol.most_labels
    if most is not None and most < batch:
        yield ProtocolError(
            protocol.tightest_budget,
            budget.labels if most == budget.labels else budget.money,
            f"pays for {most:,} labels, less than one batch of one pair, which may take {batch:,}",
        )

"""The protocol of a campaign: everything that must be fixed before the first label.

A verdict's error rate holds for the protocol that was written down beforehand. So the protocol is frozen, checked as
a whole, and has a fingerprint that every log of events begins with.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.protocol_parts import ProtocolError, ProtocolParts, rating_problems
from tiebreak.errors import did_you_mean
from tiebreak.records import OUTCOME_CODES
from tiebreak.rules.registry import RULES
from tiebreak.settings.checks import wrong_settings
from tiebreak.settings.protocol import (
    DEFAULT_QUESTION,
    LABEL_KINDS,
    PROTOCOL_TABLES,
    DecisionSettings,
    LabelSettings,
    PairSettings,
    PeopleSettings,
)
from tiebreak.settings.shared import labels_for
from tiebreak.settings.toml_file import read_toml, to_toml

SHIPPED: Final = {path.stem: path for path in sorted((Path(__file__).parent / "protocols").glob("*.toml"))}
"""Protocols that come with the program, by name: what is asked, and how it is explained."""
RANKED_SYSTEMS: Final = (3, 5)
"""The fewest and the most outputs that people rank at once."""


@dataclass(frozen=True, slots=True)
class Protocol(ProtocolParts):
    """A whole campaign.

    Raises:
        ProtocolError: an impossible value, or a combination that cannot decide anything.
    """

    def __post_init__(self) -> None:
        problems = [*_problems(self)]
        if problems:
            first = problems[0]
            raise ProtocolError(first.key, first.value, first.message, problems[1:])

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of all that the protocol says; equal protocols have the same."""
        return _fingerprint(self)

    @property
    def asked(self) -> str:
        """The question that people see."""
        return LABEL_KINDS[self.labels.kind].question if self.question == DEFAULT_QUESTION else self.question

    @property
    def most_labels_per_item(self) -> int:
        """Labels that one item may take under the labelling policy."""
        return LABELLING_POLICIES[self.labels.labelling].most_labels(self.labels.per_item)

    @property
    def most_labels(self) -> int | None:
        """Labels that the budget pays for, from labels and money together; None: no limit."""
        limits = [self.budget.max_labels] if self.budget.max_labels is not None else []
        if self.budget.max_money is not None and self.labels.price:
            limits.append(labels_for(self.budget.max_money, self.labels.price))
        return min(limits) if limits else None

    def most_items(self, pairs: int) -> int | None:
        """Items of each of so many pairs that may be labelled; None: no limit.

        A rule that plans a number of items needs one that the budget pays for, shared evenly by all pairs.
        """
        limit, labels = self.budget.items_per_pair, self.most_labels
        if labels is None or not RULES[self.decision.rule].plans_items:
            return limit
        least = LABELLING_POLICIES[self.labels.labelling].labels_wanted((), self.labels.per_item)
        share = labels // (max(pairs, 1) * least)
        return share if limit is None else min(limit, share)

    def pays_for_fewer(self, pairs: int) -> bool:
        """Whether the budget plans fewer items of each of so many pairs than `items_per_pair`."""
        return self.most_items(pairs) != self.budget.items_per_pair

    @property
    def tightest_budget(self) -> str:
        """The key of the budget that `most_labels` comes from."""
        return "budget.max_labels" if self.most_labels == self.budget.max_labels else "budget.max_money"

    @property
    def labels_in_words(self) -> str:
        """Who labels an item, or an output."""
        words = LABELLING_POLICIES[self.labels.labelling].in_words(self.labels.per_item)
        return words.replace("per item", "per output") if self.rates else words

    def setting(self, key: str) -> object:
        """The value of a setting by its key, such as `decision.metrics`."""
        value: object = self
        for part in key.split("."):
            value = getattr(value, part)
        return value

    def pays_too_little(self, why: str) -> ProtocolError:
        """What is wrong with a budget that pays for too few labels."""
        key = self.tightest_budget
        return ProtocolError(key, self.setting(key), f"pays for {self.most_labels:,} labels{why}")

    def to_dict(self) -> dict[str, Any]:
        """All settings, nested as in the TOML file."""
        return asdict(self)


def protocol_from_toml(text: str, file: str = "protocol.toml") -> Protocol:
    """The protocol that a TOML text describes; what it does not say has its default.

    Raises:
        InputError: invalid TOML; or all unknown keys and values of the wrong kind at once; or, where there are none,
            all reasons why the protocol cannot be.
    """
    return read_toml(Protocol, text, file)


def protocol_to_toml(protocol: Protocol) -> str:
    """The TOML text that reads back as this protocol; settings that are None are left out, and those of ratings in a
    campaign that has none.
    """
    return to_toml(protocol, defaults=True, without=() if protocol.rates else ("ratings",))


_SAID_LATER: Final = {
    "labels": ("kind", "markdown"),
    "people": ("least_seconds", "least_edit", "spans"),
    "ratings": ("edit_half_width",),
}
"""Settings that leave the fingerprint as it is where they have their default."""


@lru_cache(maxsize=8)  # each command asks for that of its protocol several times
def _fingerprint(protocol: Protocol) -> str:
    return hashlib.sha256(json.dumps(_plain(_said(protocol)), sort_keys=True).encode()).hexdigest()


def _said(protocol: Protocol) -> dict[str, Any]:
    """All settings, without those of ratings in a campaign that has none, and without `_SAID_LATER`."""
    document = asdict(protocol)
    for table, names in _SAID_LATER.items():
        for name in names:
            if getattr(getattr(protocol, table), name) == getattr(PROTOCOL_TABLES[table](), name):
                del document[table][name]
    if not protocol.rates:
        del document["ratings"]
    return document


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
    alone = [
        *_out_of_range("", protocol),
        *_check_systems(protocol),
        *(wrong for table in PROTOCOL_TABLES for wrong in _out_of_range(f"{table}.", getattr(protocol, table))),
        *_check_per_item(protocol.labels),
        *_check_rule(protocol.decision),
        *_check_gold(protocol.people),
        *_check_ranking(protocol),
        *rating_problems(protocol),
    ]
    yield from alone or _check_together(protocol)


def _out_of_range(prefix: str, part: object) -> Iterator[ProtocolError]:
    """What the settings of one record do not allow by themselves."""
    for wrong in wrong_settings(part):
        yield ProtocolError(prefix + wrong.setting.name, wrong.value, wrong.message)


def _check_systems(protocol: Protocol) -> Iterator[ProtocolError]:
    least, words = (1, "each system once") if protocol.rates else (2, "at least two systems, each once")
    if protocol.systems and len(set(protocol.systems)) < max(least, len(protocol.systems)):
        yield ProtocolError("systems", protocol.systems, f"must name {words} (or none: all)")
    if protocol.baseline is not None and protocol.systems and protocol.baseline not in protocol.systems:
        yield ProtocolError("baseline", protocol.baseline, "is not among the systems")
    yield from _check_only_pairs(protocol)
    if not protocol.question.strip():
        yield ProtocolError("question", protocol.question, "annotators need a question")


def _check_only_pairs(protocol: Protocol) -> Iterator[ProtocolError]:
    """Each pair of two systems, and once; nothing beside them says which systems or pairs there are."""
    seen: set[frozenset[str]] = set()
    for pair in protocol.only_pairs:
        if pair[0] == pair[1]:
            yield ProtocolError("only_pairs", pair, "is a system with itself; name two")
        elif frozenset(pair) in seen:
            yield ProtocolError("only_pairs", pair, "is named twice; name each pair once, in either order")
        seen.add(frozenset(pair))
    for key in ("systems", "baseline"):
        if protocol.only_pairs and getattr(protocol, key):
            message = "goes without only_pairs, which names all pairs by itself; leave one of the two out"
            yield ProtocolError(key, getattr(protocol, key), message)


def _check_per_item(labels: LabelSettings) -> Iterator[ProtocolError]:
    policy, people = LABELLING_POLICIES.get(labels.labelling), labels.per_item
    kind = LABEL_KINDS.get(labels.kind)
    several = "mean" if kind is not None and kind.rates else "majority"
    if policy is None or people < 1 or policy.rates:
        return
    if policy.takes_number and people % 2 == 0:
        yield ProtocolError("labels.per_item", people, "a majority needs an odd number of people")
    elif policy.takes_number and people < 3:
        yield ProtocolError("labels.per_item", people, "a majority needs 3 people or more")
    elif not policy.takes_number and people != 1:
        yield ProtocolError("labels.per_item", people, f"{policy.name} takes no number; use {several}")


def _check_rule(decision: DecisionSettings) -> Iterator[ProtocolError]:
    """What the stopping rule can use."""
    rule = RULES.get(decision.rule)
    if rule is None:
        return
    if wrong := rule.alpha_problem(decision):
        yield ProtocolError("decision.alpha", decision.alpha, wrong)
    if decision.margin is not None and not rule.takes_margin:
        yield ProtocolError("decision.margin", decision.margin, f"the rule {rule.name} cannot find equivalence")
    for key, names in (("decision.metrics", decision.metrics), ("decision.judges", decision.judges)):
        if names and not rule.takes_metric_in_campaigns:
            yield ProtocolError(key, names, f"the rule {rule.name} uses human labels only")
    if rule.needs_metric and not (decision.metrics or decision.judges):
        yield ProtocolError("decision.metrics", decision.metrics, f"the rule {rule.name} needs --metric or --judge")


def _check_ranking(protocol: Protocol) -> Iterator[ProtocolError]:
    """All systems of an item are shown at once, so that there is no next pair, and nothing known of one pair only."""
    if protocol.labels.kind != "ranking":
        return
    decision, fewest, most = protocol.decision, *RANKED_SYSTEMS
    if protocol.systems and not fewest <= len(protocol.systems) <= most:
        yield ProtocolError(
            "systems", protocol.systems, f"people rank {fewest} to {most} outputs; name as many systems"
        )
    others: tuple[tuple[str, object, object], ...] = (
        ("pairs.pair_policy", protocol.pairs.pair_policy, PairSettings().pair_policy),
        ("labels.labelling", protocol.labels.labelling, "majority" if protocol.labels.per_item > 1 else "one"),
        ("decision.metrics", decision.metrics, ()),
        ("decision.judges", decision.judges, ()),
        ("people.gold", protocol.people.gold, ()),
    )
    for key, value, default in others:
        if value != default:
            shown = None if key == "people.gold" else value
            yield ProtocolError(key, shown, "is for single pairs, and here people rank the outputs of all systems")


def _check_gold(people: PeopleSettings) -> Iterator[ProtocolError]:
    for gold in people.gold:
        if gold.outcome not in OUTCOME_CODES:
            hint = did_you_mean(gold.outcome, OUTCOME_CODES)
            yield ProtocolError("people.gold", gold.outcome, f"must be one of {', '.join(OUTCOME_CODES)}{hint}")


def _check_together(protocol: Protocol) -> Iterator[ProtocolError]:
    budget, rule = protocol.budget, RULES[protocol.decision.rule]
    if rule.needs_items_per_pair and budget.items_per_pair is None:
        message = f"the rule {rule.name} needs the number of items per pair (--items-per-pair)"
        yield ProtocolError("budget.items_per_pair", None, message)
    if budget.max_money is not None and not protocol.labels.price:
        yield ProtocolError("budget.max_money", budget.max_money, "needs labels.price, the price of one label")
        return
    batch, most = protocol.pairs.batch * protocol.most_labels_per_item, protocol.most_labels
    if most is not None and most < batch and not protocol.rates:
        yield protocol.pays_too_little(f", less than one batch of one pair, which may take {batch:,}")

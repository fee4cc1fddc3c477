"""The parts of a protocol, what it must say of ratings, and what it cannot have beside them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Final

from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.errors import Flaw, KeyedError
from tiebreak.rules.registry import rating_rules
from tiebreak.settings.protocol import (
    LABEL_KINDS,
    Budget,
    DecisionSettings,
    LabelSettings,
    OrderSettings,
    PairSettings,
    PeopleSettings,
    QuestionSettings,
    RatedCriterion,
    RatingSettings,
)
from tiebreak.settings.shared import LARGEST_RATING

MOST_CHOICES: Final = 11
"""Ratings that one chooses from; a longer scale is typed."""
ANY_CORRECT: Final = "AnyCorrect"
AVG_CORRECT: Final = "AvgCorrect"
EDIT_WORDS: Final = "EditWords"
CORRECTNESS: Final = (RatedCriterion(ANY_CORRECT, 0, 1), RatedCriterion(AVG_CORRECT, 0, 1))
"""What judgements of passages amount to (price-of-debiasing, section 5): whether some passage supports an answer, and
which share of them does."""


class ProtocolError(KeyedError):
    """A protocol that cannot be, or cannot decide anything; `key` is the place in the TOML file, such as
    `decision.alpha`. `others`: what else is wrong with it; the text says all of it.
    """

    def __init__(self, key: str, value: object, message: str, others: Sequence[ProtocolError] = ()) -> None:
        shown = "" if value is None else f" = {json.dumps(value, default=str, ensure_ascii=False)}"
        first = Flaw(tuple(key.split(".")), value, message, hidden=value is None)
        text = "\n".join([f"{key}{shown}: {message}", *map(str, others)])
        super().__init__(text, (first, *(flaw for other in others for flaw in other.flaws)))
        self.key, self.value, self.message, self.others = key, value, message, tuple(others)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.key, self.value, self.message, self.others)


@dataclass(frozen=True, slots=True)
class ProtocolParts(QuestionSettings):
    """What `QuestionSettings` says, and a part per table of the protocol file."""

    labels: LabelSettings = field(default_factory=LabelSettings)
    pairs: PairSettings = field(default_factory=PairSettings)
    budget: Budget = field(default_factory=Budget)
    decision: DecisionSettings = field(default_factory=DecisionSettings)
    order: OrderSettings = field(default_factory=OrderSettings)
    people: PeopleSettings = field(default_factory=PeopleSettings)
    ratings: RatingSettings = field(default_factory=RatingSettings)

    @property
    def rates(self) -> bool:
        """Whether people rate single outputs, and do not compare them."""
        kind = LABEL_KINDS.get(self.labels.kind)  # an unknown one is refused by its setting
        return kind is not None and kind.rates

    @property
    def rated_criteria(self) -> tuple[RatedCriterion, ...]:
        """What a campaign of ratings finds out about outputs: what people rate, or what it makes of their answers."""
        if self.labels.kind == "correctness":
            return CORRECTNESS
        if self.ratings.edit_half_width is None:
            return self.ratings.criteria
        return (*self.ratings.criteria, RatedCriterion(EDIT_WORDS, 0, 1, self.ratings.edit_half_width))

    def is_whole(self, criterion: RatedCriterion) -> bool:
        """Whether an answer has only whole numbers for a criterion; shares are none."""
        return self.ratings.whole and criterion in self.ratings.criteria

    def half_width_of(self, criterion: RatedCriterion) -> float | None:
        """That of the intervals of a criterion, in its points; None where the campaign asks for none."""
        return self.ratings.half_width if criterion.half_width is None else criterion.half_width


def rating_problems(protocol: ProtocolParts) -> Iterator[ProtocolError]:
    """All that is wrong with one part by itself."""
    if not protocol.rates:
        yield from _without_ratings(protocol)
        return
    yield from _criteria(protocol)
    yield from _half_widths(protocol)
    yield from _edits(protocol)
    yield from _not_beside_ratings(protocol)


def _without_ratings(protocol: ProtocolParts) -> Iterator[ProtocolError]:
    plain = RatingSettings()
    changed = [of.name for of in fields(plain) if getattr(protocol.ratings, of.name) != getattr(plain, of.name)]
    if changed:
        message = (
            "is for campaigns of ratings only: say what is rated (--rate fluency=1:5, or labels.kind and "
            "ratings.criteria in a protocol file), or leave it out"
        )
        yield ProtocolError(f"ratings.{changed[0]}", None, message)
    if protocol.decision.rule in rating_rules():
        yield ProtocolError(
            "decision.rule", protocol.decision.rule, "is a rule for ratings, and here people compare outputs"
        )
    policy = LABELLING_POLICIES.get(protocol.labels.labelling)
    if policy is not None and policy.rates:
        yield ProtocolError("labels.labelling", policy.name, "is for ratings; several preferences take majority")


def _criteria(protocol: ProtocolParts) -> Iterator[ProtocolError]:
    criteria = protocol.ratings.criteria
    if protocol.labels.kind == "correctness":
        if criteria:
            message = f"are none of yours here: people judge passages, which gives {ANY_CORRECT} and {AVG_CORRECT}"
            yield ProtocolError("ratings.criteria", [of.name for of in criteria], message)
        return
    if not criteria:
        message = (
            "name what is rated and its scale, such as --rate fluency=1:5, or in a protocol file [[ratings.criteria]] "
            'with name = "fluency", low = 1, high = 5'
        )
        yield ProtocolError("ratings.criteria", None, message)
    names = [of.name.casefold() for of in criteria]
    for of in criteria:
        if not of.name.strip():
            yield ProtocolError("ratings.criteria", of.name, "a criterion needs a name")
        elif names.count(of.name.casefold()) > 1:
            yield ProtocolError("ratings.criteria", of.name, "is named twice (in capitals or not)")
        if not (-LARGEST_RATING <= of.low < of.high <= LARGEST_RATING):
            message = f"the scale of {of.name} needs a lowest and a highest rating, such as low = 1, high = 5"
            yield ProtocolError("ratings.criteria", [of.low, of.high], message)
        elif protocol.ratings.whole and not (float(of.low).is_integer() and float(of.high).is_integer()):
            message = f"the scale of {of.name} must have whole numbers at its ends, or whole must be false"
            yield ProtocolError("ratings.criteria", [of.low, of.high], message)
        elif of.cues and not (protocol.ratings.whole and len(of.cues) == of.high - of.low + 1 <= MOST_CHOICES):
            each = f"for each whole number from {of.low:g} to {of.high:g}"
            message = f"{of.name} needs a cue {each}, at most {MOST_CHOICES} in all, or none"
            yield ProtocolError("ratings.criteria", list(of.cues), message)


def _half_widths(protocol: ProtocolParts) -> Iterator[ProtocolError]:
    ratings, criteria = protocol.ratings, protocol.rated_criteria
    lengths = {of.high - of.low for of in criteria if of.half_width is None}
    if ratings.until != "directions" and any(protocol.half_width_of(of) is None for of in criteria):
        message = f"say how well {ratings.until} must be known, in points of the ratings, such as 0.2 (--half-width)"
        yield ProtocolError("ratings.half_width", None, message)
    elif ratings.half_width is not None and len(lengths) > 1:
        message = "the scales of the criteria differ in length: give each criterion its half_width in the protocol file"
        yield ProtocolError("ratings.half_width", ratings.half_width, message)
    for of in criteria:
        most = (of.high - of.low) * (0.5 if ratings.until == "means" else 1.0)
        wanted = protocol.half_width_of(of)
        if of.low < of.high and wanted is not None and not 0 < wanted < most:
            message = (
                f"must be above 0 and below {most:g}, which needs no labels on a scale of {of.low:g} to {of.high:g}"
            )
            yield ProtocolError("ratings.half_width", wanted, message)


def _edits(protocol: ProtocolParts) -> Iterator[ProtocolError]:
    below, kind = protocol.ratings.edit_below, protocol.labels.kind
    width = protocol.ratings.edit_half_width
    if width is not None and any(of.name == EDIT_WORDS for of in protocol.ratings.criteria):
        yield ProtocolError(
            "ratings.criteria", EDIT_WORDS, "is what edits amount to; give what people rate another name"
        )
    if kind != "rating+edit":
        if width is not None:
            yield ProtocolError("ratings.edit_half_width", width, 'is about edits: set labels.kind to "rating+edit"')
        if below is not None:
            yield ProtocolError("ratings.edit_below", below, 'asks for edits: set labels.kind to "rating+edit"')
        if protocol.people.least_edit is not None:
            yield ProtocolError("people.least_edit", protocol.people.least_edit, "is for campaigns with edits")
    elif below is None:
        yield ProtocolError("ratings.edit_below", None, "say below which rating an output must be edited, such as 3")
    elif not any(of.low < below <= of.high for of in protocol.ratings.criteria):
        yield ProtocolError(
            "ratings.edit_below", below, "must lie above the lowest rating of a criterion, or nothing is edited"
        )
    if protocol.people.spans and kind != "correctness":
        yield ProtocolError("people.spans", True, "is for judgements of passages (labels.kind = correctness)")


def _not_beside_ratings(protocol: ProtocolParts) -> Iterator[ProtocolError]:
    decision, policy = protocol.decision, LABELLING_POLICIES.get(protocol.labels.labelling)
    if decision.rule not in rating_rules():
        message = f"is for comparisons; ratings take {' or '.join(rating_rules())}"
        yield ProtocolError("decision.rule", decision.rule, message)
    if decision.multiplicity in ("fdr", "fdr-any"):
        message = "is about verdicts; intervals of ratings hold together (holm, bonferroni) or each by itself (none)"
        yield ProtocolError("decision.multiplicity", decision.multiplicity, message)
    if policy is not None and not policy.rates and policy.name != "one":
        yield ProtocolError(
            "labels.labelling", policy.name, "is for preferences; several ratings of an output take mean"
        )
    if len(decision.metrics) > 1:
        yield ProtocolError(
            "decision.metrics", decision.metrics, "are several, and one metric can help a campaign of ratings"
        )
    if decision.metrics and decision.target != "items":
        message = "a metric helps a campaign of ratings about these items only (--target items)"
        yield ProtocolError("decision.metrics", decision.metrics, message)
    others: tuple[tuple[str, object, object, str], ...] = (
        ("decision.margin", decision.margin, None, "is for comparisons; say ratings.half_width"),
        ("decision.judges", decision.judges, (), "cannot help a campaign of ratings"),
        ("people.gold", protocol.people.gold, (), "has outcomes of comparisons, and here people rate single outputs"),
        ("criterion", protocol.criterion, None, "is for comparisons; name criteria in [ratings]"),
        ("labels.ties", protocol.labels.ties, True, "is for comparisons"),
        ("pairs", None if protocol.pairs == PairSettings() else protocol.pairs, None, "is for comparisons"),
        ("budget.items_per_pair", protocol.budget.items_per_pair, Budget().items_per_pair, "say items_per_system"),
    )
    for key, value, default, message in others:
        if value != default:
            yield ProtocolError(key, None if key in ("pairs", "people.gold") else value, message)
    if protocol.ratings.until == "means":
        for key in ("baseline", "only_pairs"):
            if getattr(protocol, key):
                message = "names pairs, but every system's mean is asked for: set ratings.until to differences"
                yield ProtocolError(key, getattr(protocol, key), message)

"""What `--rate` says: criteria with their scales, and what a campaign of ratings takes where nothing else is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tiebreak.data.study import Study
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.settings.protocol import RatedCriterion

Given = dict[str, dict[str, Any]]

_SUCH_AS: Final = "write NAME=LOW:HIGH, such as fluency=1:5"


def with_ratings(
    given: Mapping[str, Mapping[str, Any]], said: Mapping[str, Any], rate: Sequence[str], study: Study | None
) -> Given:
    """The options `given` by table, with the criteria that `rate` names, and with the kind of label, the rule and the
    labelling policy that go with ratings, unless option or file (`said`) have them.

    Raises:
        UsageError: a criterion without a scale, of which the study knows none either.
    """
    found = {table: dict(values) for table, values in given.items()}
    labels, decision = found.setdefault("labels", {}), found.setdefault("decision", {})
    if rate:
        found.setdefault("ratings", {})["criteria"] = tuple(rated_criterion(words, study) for words in rate)
    kind = labels.get("kind", said.get("labels", {}).get("kind"))
    if kind is None and rate:
        labels["kind"] = kind = "rating"
    if kind in (None, "preference"):
        return found
    if "rule" not in said.get("decision", {}):
        decision.setdefault("rule", "width")
    people = labels.get("per_item", said.get("labels", {}).get("per_item", 1))
    if people != 1 and "labelling" not in said.get("labels", {}):
        labels.setdefault("labelling", "mean")
    return found


def rated_criterion(words: str, study: Study | None) -> RatedCriterion:
    """`fluency=1:5`, or `fluency` where the study declares its scale.

    Raises:
        UsageError: no scale, or one that cannot be read.
    """
    name, separator, scale = words.rpartition("=")
    if not separator:
        known = None if study is None else study.settings.scale.get(words)
        if known is None:
            scales = {} if study is None else study.settings.scale
            also = "" if study is None else ", and study.toml has none of it"
            raise UsageError(f"--rate {words!r} has no scale{also}{did_you_mean(words, scales) or f': {_SUCH_AS}'}")
        return RatedCriterion(words, *known)
    low, _, high = scale.partition(":")
    try:
        return RatedCriterion(name.strip(), float(low), float(high))
    except ValueError:
        raise UsageError(f"--rate {words!r} has no scale that can be read: {_SUCH_AS}") from None

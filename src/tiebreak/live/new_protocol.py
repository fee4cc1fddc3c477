"""The protocol of a campaign to be: from a file, from settings that change it, and from what is taken where neither
says anything.

What `--rate` says: criteria with their scales, and what a campaign of ratings takes where nothing else is said.
"""

from __future__ import annotations

import secrets
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tiebreak.campaign import Protocol, protocol_from_toml
from tiebreak.campaign.make_plan import with_room_for_companions
from tiebreak.data.study import Study
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.settings.protocol import LABEL_KINDS, RatedCriterion

_SEEDS: Final = 2**31


def new_protocol(
    text: str, file: str, given: Mapping[str, Mapping[str, Any]], rate: Sequence[str], study: Study
) -> Protocol:
    """The protocol that the `text` of a file says ("": the defaults), with the settings `given` (by table; "" for those
    outside tables) and the criteria that `rate` names.

    The price is the study's, and the seed of the sealed order drawn at random, unless file or settings say otherwise.

    Raises:
        InputError, UsageError: what the file says cannot be, or a protocol that cannot be.
    """
    base, said = file_settings(text, file)
    changes = with_ratings(given, said, rate, study)
    for table, name, value in _defaults(study):
        if name not in said.get(table, {}):
            changes.setdefault(table, {}).setdefault(name, value)
    return with_room_for_companions(changed(base, changes), study)


def file_settings(text: str, file: str) -> tuple[Protocol, Mapping[str, Any]]:
    """The protocol that the text of a file says ("": the defaults), and the settings that it itself spells out.

    Raises:
        InputError: what it says cannot be; names line, key and value.
    """
    return protocol_from_toml(text, file), tomllib.loads(text)


def changed(base: Protocol, changes: Mapping[str, Mapping[str, Any]]) -> Protocol:
    """`base` with changes by table ("": outside tables).

    Raises:
        ProtocolError: a protocol that cannot be.
    """
    parts = {table: replace(getattr(base, table), **values) for table, values in changes.items() if table and values}
    return replace(base, **changes.get("", {}), **parts)


def _defaults(study: Study) -> list[tuple[str, str, object]]:
    """(table, name, value) where neither file nor option say anything."""
    found: list[tuple[str, str, object]] = [("order", "seed", secrets.randbelow(_SEEDS))]
    if study.settings.price_per_label is not None:
        found.append(("labels", "price", study.settings.price_per_label))
        found.append(("labels", "currency", study.settings.currency))
    return found


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
    if kind not in LABEL_KINDS or not LABEL_KINDS[kind].rates:
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

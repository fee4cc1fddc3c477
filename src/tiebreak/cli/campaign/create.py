"""`tiebreak campaign create`: fix everything that must be fixed before the first label.

A protocol from a file, from options that change it, and from what is taken where neither says anything.

What `--rate` says: criteria with their scales, and what a campaign of ratings takes where nothing else is said.
"""

from __future__ import annotations

import secrets
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final

from tiebreak.campaign import Protocol, protocol_from_toml
from tiebreak.campaign.make_plan import with_room_for_companions
from tiebreak.campaign.protocol import SHIPPED as PROTOCOLS
from tiebreak.cli.campaign.options import now
from tiebreak.cli.campaign.show_status import created_document, show_created
from tiebreak.cli.setting_options import Changes, JsonOption, RateOption, argument, option, with_changes
from tiebreak.cli.terminal import write_json
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, UsageError, did_you_mean
from tiebreak.live import create_campaign, open_campaign
from tiebreak.live.folder import check_hidden
from tiebreak.live.tutorial import SHIPPED as TUTORIALS
from tiebreak.live.tutorial import read_tutorial
from tiebreak.places import study_at
from tiebreak.settings.protocol import LABEL_KINDS, PROTOCOL_TABLES, QuestionSettings, RatedCriterion


@with_changes({"": QuestionSettings, **PROTOCOL_TABLES})
def create_command(
    study: Annotated[Path, argument("Folder with the texts to compare.", "STUDY")],
    out: Annotated[Path, option("The new folder.", "CAMPAIGN", "--out", "-o")],
    *,
    protocol: Annotated[
        Path | None,
        option("Protocol: a TOML file, dialogue, or naturalness; options change it.", "FILE"),
    ] = None,
    rate: RateOption = None,
    changes: Changes,
    hide: Annotated[
        list[str] | None,
        option("Do not show input, context or reference; repeatable.", "NAME"),
    ] = None,
    database: Annotated[
        str | None,
        option("Keep the log in PostgreSQL: postgresql://user@host/name (password: PGPASSWORD).", "URL"),
    ] = None,
    tutorial: Annotated[
        Path | None,
        option("Questions before the first task in a browser: a TOML file, language, or correctness.", "FILE"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Begin a campaign: a folder with its protocol, a copy of the study's texts, and an empty log.

    The protocol cannot be changed afterwards, because the error rate of a verdict holds for what was fixed before the
    first label. Labels that the study has already are not used. People compare the outputs of two systems, or with
    --rate they rate single outputs.

    Example: tiebreak campaign create my-study -o my-campaign --price 0.10 --max-labels 2000

    Example: tiebreak campaign create my-study -o my-campaign --rate fluency=1:5 --half-width 0.2
    """
    asked = dict(changes[""])
    if "instructions" in asked:
        asked["instructions"] = text_of(Path(asked["instructions"]))
    hidden = check_hidden(hide or [])
    base, said = file_settings(protocol)
    data = study_at(study)
    given = with_ratings({**changes, "": asked}, said, rate or (), data)
    asked_for = with_room_for_companions(protocol_for(base, said, given, data), data)
    questions = None if tutorial is None else text_of(tutorial, TUTORIALS)
    if questions is not None:
        read_tutorial(questions, str(tutorial), asked_for)
    create_campaign(out, asked_for, data, at=now(), hidden=hidden, database=database, tutorial=questions)
    campaign = open_campaign(out)
    if as_json:
        write_json(created_document(campaign))
    else:
        show_created(campaign)


_SEEDS: Final = 2**31


def file_settings(path: Path | None) -> tuple[Protocol, Mapping[str, Any]]:
    """The protocol in a file or of a name (None: the defaults), and the settings that it spells out itself.

    Raises:
        InputError: the file cannot be read, or what it says cannot be; names line, key and value.
    """
    if path is None:
        return Protocol(), {}
    text = text_of(path, PROTOCOLS)
    return protocol_from_toml(text, file=str(path)), tomllib.loads(text)


def protocol_for(
    base: Protocol, said: Mapping[str, Any], given: Mapping[str, Mapping[str, Any]], study: Study
) -> Protocol:
    """`base` with the options `given` (by table; "" for those outside tables).

    The price is the study's, and the seed of the sealed order drawn at random, unless file or option say otherwise.

    Raises:
        ProtocolError: a protocol that cannot be.
    """
    changes = {table: dict(values) for table, values in given.items()}
    for table, name, value in _defaults(study):
        if name not in said.get(table, {}):
            changes[table].setdefault(name, value)
    return changed(base, changes)


def changed(base: Protocol, changes: Mapping[str, Mapping[str, Any]]) -> Protocol:
    """`base` with changes by table ("": outside tables).

    Raises:
        ProtocolError: a protocol that cannot be.
    """
    parts = {table: replace(getattr(base, table), **values) for table, values in changes.items() if table and values}
    return replace(base, **changes.get("", {}), **parts)


def text_of(path: Path, shipped: Mapping[str, Path] = MappingProxyType({})) -> str:
    """A text file, in UTF-8; `shipped`: files that come with the program, by name.

    Raises:
        InputError: it cannot be read.
    """
    try:
        return shipped.get(str(path), path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        known = f"; by name there are {', '.join(shipped)}{did_you_mean(str(path), shipped)}" if shipped else ""
        raise InputError([Problem(str(path), f"cannot be read: {error.strerror or error}{known}")]) from error
    except UnicodeDecodeError as error:
        raise InputError([Problem(str(path), "not UTF-8; save it as UTF-8")]) from error


def _defaults(study: Study) -> list[tuple[str, str, object]]:
    """(table, name, value) where neither file nor option say anything."""
    found: list[tuple[str, str, object]] = [("order", "seed", secrets.randbelow(_SEEDS))]
    if study.settings.price_per_label is not None:
        found.append(("labels", "price", study.settings.price_per_label))
    if study.settings.price_per_label is not None:
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

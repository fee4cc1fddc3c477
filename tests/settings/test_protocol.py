"""The names of policies and rules, which options and protocol files offer, are those that exist."""

from __future__ import annotations

from dataclasses import fields

from tiebreak.campaign import Protocol
from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.pair_policies import PAIR_POLICIES
from tiebreak.settings.protocol import LABELLING_NAMES, PAIR_POLICY_NAMES, PROTOCOL_TABLES
from tiebreak.settings.setting import settings_of


def test_names_are_those_of_the_registries() -> None:
    assert tuple(LABELLING_POLICIES) == LABELLING_NAMES
    assert tuple(PAIR_POLICIES) == PAIR_POLICY_NAMES


def test_every_key_of_a_protocol_is_a_setting() -> None:
    outside = {field.name for field in fields(Protocol)} - set(PROTOCOL_TABLES)
    assert outside == {named.name for named in settings_of(Protocol)}
    for record in PROTOCOL_TABLES.values():
        described = {named.name for named in settings_of(record)}
        assert {field.name for field in fields(record)} - described <= {"gold", "criteria"}

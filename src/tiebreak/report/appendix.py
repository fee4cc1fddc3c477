"""What a reader needs to make the same result again: versions, settings, data, command, claim and tests."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from tiebreak.messages.claims import claim_words, compared_words, difference_words, interval_words
from tiebreak.numbers import listed_names
from tiebreak.results.comparison_terms import Terms
from tiebreak.results.records import CompareResult
from tiebreak.results.settings import CompareSettings
from tiebreak.settings.checks import command_words
from tiebreak.settings.protocol import PROTOCOL_TABLES
from tiebreak.settings.setting import NamedSetting, settings_of
from tiebreak.version import __version__

Rows = list[tuple[str, str]]

_LIBRARIES = ("numpy", "scipy", "polars")


def command_line(result: CompareResult) -> str:
    """The command that gives this result; options that have their default value are left out.

    The study stands there by the last part of its folder, since the page must not depend on where that lies; without
    one by its name, which may be another (the title in study.toml).
    """
    words = ["tiebreak", "compare", result.folder or str(result.study["name"])]
    if result.own_analysis is not None:
        words.append("--own-analysis")
    return shlex.join(words if result.settings is None else [*words, *command_words(result.settings)])


def claim_rows(result: CompareResult) -> Rows:
    """What is claimed, about what, with what error, and which tests were made together."""
    terms, pairs = result.terms, [pair for found in result.results for pair in found.pairs]
    drawn = "the items are a sample of them" if terms.target == "inputs" else "the pool of this study"
    scope = f"{claim_words(terms)} ({drawn})"
    intervals = interval_words(pairs, terms)
    rows = [
        ("Estimand", f"{difference_words(terms)} of each pair of systems A and B, on {scope}"),
        ("Method", f"{terms.title}; verdicts {terms.guarantee}"),
        ("Family of tests", _family(result)),
        ("Intervals", intervals.removesuffix(".")),
        ("Order of items", _order(terms)),
    ]
    if terms.margin is not None:
        rows.append(
            ("Margin", f"{terms.margin:g}: equivalent means a difference shown to be between -margin and +margin")
        )
    if terms.items_per_pair is not None:
        rows.append(("Budget", f"at most {terms.items_per_pair:,} labelled items a pair, fixed before the first label"))
    return rows


def _family(result: CompareResult) -> str:
    terms = result.terms
    pairs = f"{terms.family:,} pair{'s' if terms.family > 1 else ''}"
    if len(result.results) > 1:
        pairs += f" over {len(result.results)} criteria"
    if terms.counted:
        return f"none: {pairs}, all of whose items are counted"
    if terms.correction is None:
        return f"{pairs}, each judged on its own: this method does not adjust for many pairs"
    adjustment = {
        "holm": "Holm's steps" if terms.margin is None else "Bonferroni (Holm's steps do not cover a margin)",
        "bonferroni": "Bonferroni",
        "fdr": "control of the false discovery rate",
        "fdr-any": "control of the false discovery rate under any dependence",
        "none": "no adjustment for many pairs",
    }[terms.multiplicity]
    groups = 1 if result.watch is None else len(result.watch.families)
    shared = f", in each of {groups} groups that joined at different looks and share alpha" if groups > 1 else ""
    return f"{pairs}, both directions of each, with {adjustment} at alpha = {terms.alpha:g}{shared}"


def _order(terms: Terms) -> str:
    return {
        "none": "of no account: one look at all labels",
        "random": f"random, fixed by the data and seed {terms.seed} before any outcome is looked at",
        "sealed": f"random for each pair, fixed by seed {terms.seed} before the first label",
        "listed": "as the study lists them",
        "seen": "that of the looks which saw them first; within a look, the least favourable",
    }[terms.order]


def setting_rows(result: CompareResult) -> Rows:
    """All settings in the words of their options, also those with their default; of a campaign those of its protocol
    about labels and people, too.
    """
    values = result.terms.to_dict()
    asked = [(named, values[named.name]) for named in settings_of(CompareSettings) if named.name in values]
    if result.campaign is not None:
        protocol: Mapping[str, Any] = result.campaign.protocol
        asked += [
            (named, protocol[table][named.name])
            for table in ("labels", "pairs", "budget", "people")
            for named in settings_of(PROTOCOL_TABLES[table])
            if named.name not in values
        ]
    return [(named.setting.help.partition(";")[0], _value_words(named, value)) for named, value in asked]


def _value_words(named: NamedSetting, value: object) -> str:
    choices = named.setting.choices
    if value is None or value in ([], [None], ()):
        return "all" if named.name in ("criteria", "annotators", "systems") else "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return listed_names(" and ".join(part) if isinstance(part, tuple) else str(part) for part in value)
    explained = choices.get(str(value), "") if isinstance(choices, Mapping) else ""
    return f"{value} ({explained})" if explained else str(value)


def data_rows(result: CompareResult) -> Rows:
    """The study: name, size, fingerprint of its labels."""
    study = result.study
    labels = sum(found.labels for found in result.results)
    rows = [
        ("Study", str(study["name"])),
        ("Fingerprint of the labels", f"SHA-256 {study['fingerprint']}"),
        ("Systems", compared_words(result)),
        ("Items", f"{study['items']:,}"),
        ("Human labels used", f"{labels:,}"),
    ]
    if study["price_per_label"] is not None:
        price = float(str(study["price_per_label"]))
        digits = f"{price:,.2f}" if round(price, 2) == price else f"{price:g}"
        rows.append(("Price per label", f"{study['currency']}{digits}"))
    return rows


def version_rows() -> Rows:
    """tiebreak, Python, and the libraries that compute."""
    return [
        ("tiebreak", __version__),
        ("Python", platform.python_version()),
        *((name, version(name)) for name in _LIBRARIES),
    ]

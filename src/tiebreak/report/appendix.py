"""What a reader needs to make the same result again: versions, settings, data, command, claim and tests."""

from __future__ import annotations

import platform
import shlex
from importlib.metadata import version

from tiebreak.results.records import CompareResult
from tiebreak.results.words import guarantee
from tiebreak.rules.registry import RULES
from tiebreak.settings.command_words import command_words
from tiebreak.version import __version__

Rows = list[tuple[str, str]]

_LIBRARIES = ("numpy", "scipy", "polars")


def command_line(result: CompareResult, folder: str | None = None) -> str:
    """The command that gives this result; options that have their default value are left out.

    `folder`: the study's; its name may be another (the title in study.toml). Without it the name stands there.
    """
    words = ["tiebreak", "compare", folder or str(result.study["name"])]
    return shlex.join([*words, *command_words(result.settings)])


def claim_rows(result: CompareResult) -> Rows:
    """What is claimed, about what, with what error, and which tests were made together."""
    settings = result.settings
    method = RULES[settings.rule]
    scope = (
        "inputs like these (the items are a sample of them)"
        if settings.target == "inputs"
        else "these items only (the pool of this study)"
    )
    validity = next((pair.difference.validity for found in result.results for pair in found.pairs), "no interval")
    rows = [
        ("Estimand", f"P(first system preferred) - P(second system preferred), on {scope}"),
        ("Method", f"{method.title}; verdicts {guarantee(settings, result.order_of_items)}"),
        ("Family of tests", _family(result)),
        ("Intervals", f"hold with {validity}"),
        ("Order of items", _order(result)),
    ]
    if settings.margin is not None:
        rows.append(
            ("Margin", f"{settings.margin:g}: equivalent means a difference shown to be between -margin and +margin")
        )
    if settings.items_per_pair is not None:
        rows.append(
            ("Budget", f"at most {settings.items_per_pair:,} labelled items a pair, fixed before the first label")
        )
    return rows


def _family(result: CompareResult) -> str:
    settings = result.settings
    pairs = f"{result.family:,} pair{'s' if result.family > 1 else ''}"
    if len(result.results) > 1:
        pairs += f" over {len(result.results)} criteria"
    if not RULES[settings.rule].uses_multiplicity:
        return f"{pairs}, each judged on its own: this method does not adjust for many pairs"
    adjustment = {
        "holm": "Holm's steps" if settings.margin is None else "Bonferroni (Holm's steps do not cover a margin)",
        "bonferroni": "Bonferroni",
        "fdr": "control of the false discovery rate",
        "none": "no adjustment for many pairs",
    }[settings.multiplicity]
    return f"{pairs}, both directions of each, with {adjustment} at alpha = {settings.alpha:g}"


def _order(result: CompareResult) -> str:
    recorded = "as recorded (time of the last label of each item)"
    drawn = f"random, fixed by the data and seed {result.settings.seed} before any outcome is looked at"
    if result.order_of_items == "mixed":
        return f"{recorded} where the times are known; else {drawn}"
    return recorded if result.order_of_items == "recorded" else drawn


def setting_rows(result: CompareResult) -> Rows:
    """All settings as they were, also those with their default value."""
    rows = []
    for name, value in result.settings.to_dict().items():
        if value is None or value == []:
            shown = "all" if name in ("criteria", "annotators", "systems") else "none"
        elif isinstance(value, list):
            shown = ", ".join(str(part) for part in value)
        else:
            shown = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
        rows.append((name, shown))
    return rows


def data_rows(result: CompareResult) -> Rows:
    """The study: name, size, fingerprint of its labels."""
    study = result.study
    systems = study["systems"] if isinstance(study["systems"], list) else []
    labels = sum(found.labels for found in result.results)
    rows = [
        ("Study", str(study["name"])),
        ("Fingerprint of the labels", f"SHA-256 {study['fingerprint']}"),
        ("Systems", f"{len(systems):,}"),
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

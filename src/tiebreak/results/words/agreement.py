"""How far annotators agree, as rows of a name and what is known of it."""

from __future__ import annotations

from collections.abc import Callable

from tiebreak.kernels.agreement import Agreement
from tiebreak.results.numbers import counted, in_percent, number
from tiebreak.results.records import AnnotatorAgreement


def agreement_rows(found: AnnotatorAgreement, *, brief: bool = False) -> list[tuple[str, str]]:
    """Krippendorff's alpha and, for preferences, the share of label pairs that agree, each with its interval.

    `brief`: without what they rest on.
    """
    if found.alpha is None and found.agreeing is None:
        return [(f"Agreement on {found.kind}", "unknown, as too few items have two labels")]
    rows = []
    if found.alpha is not None:
        basis = "" if brief else f"; {_basis(found.alpha)}"
        rows.append((f"Krippendorff's alpha ({found.kind})", _value(found.alpha) + basis))
    if found.agreeing is not None:
        share = _with_interval(found.agreeing, in_percent)
        rows.append((f"Label pairs that agree ({found.kind})", share))
    return rows


def _value(found: Agreement) -> str:
    return _with_interval(found, number)


def _with_interval(found: Agreement, written: Callable[[float], str]) -> str:
    if found.low is None or found.high is None:
        return f"{written(found.estimate)} (no interval: all items are alike)"
    return f"{written(found.estimate)} (95%: {written(found.low)} to {written(found.high)})"


def _basis(found: Agreement) -> str:
    return ", ".join(
        counted(count, noun)
        for count, noun in ((found.n_labels, "label"), (found.n_items, "question"), (found.n_annotators, "annotator"))
    )

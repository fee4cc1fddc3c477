"""How far annotators agree, as rows of a table."""

from __future__ import annotations

from tiebreak.kernels.agreement import Agreement
from tiebreak.results.numbers import number
from tiebreak.results.records import AnnotatorAgreement


def agreement_rows(found: AnnotatorAgreement) -> list[tuple[str, str]]:
    """Krippendorff's alpha and, for preferences, the share of label pairs that agree, each with its interval."""
    if found.alpha is None and found.agreeing is None:
        return [(f"Agreement on {found.kind}", "cannot be told: too few items with two labels")]
    rows = []
    if found.alpha is not None:
        rows.append((f"Krippendorff's alpha ({found.kind})", f"{_shares(found.alpha)}; {_basis(found.alpha)}"))
    if found.agreeing is not None:
        agreeing = found.agreeing
        span = f"{100 * agreeing.low:.0f} to {100 * agreeing.high:.0f} %"
        rows.append((f"Label pairs that agree ({found.kind})", f"{100 * agreeing.estimate:.0f} % (95 %: {span})"))
    return rows


def _shares(found: Agreement) -> str:
    return f"{number(found.estimate)} (95 %: {number(found.low)} to {number(found.high)})"


def _basis(found: Agreement) -> str:
    return f"{found.n_labels:,} labels, {found.n_items:,} questions, {found.n_annotators:,} annotators"

"""An audit as one self-contained HTML page: the conclusion on each metric or judge, with pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tiebreak.messages.audit import (
    BIASES_SHOWN,
    PROBABILITIES_SHOWN,
    RATES_SHOWN,
    calibration_words,
    conclusion,
    dependence_words,
    flip_words,
    left_out_words,
    share_words,
    statistics_words,
)
from tiebreak.numbers import in_percent
from tiebreak.report.document import page
from tiebreak.report.figures import audits
from tiebreak.report.style import svg_of
from tiebreak.results.audits import Audit, AuditedSource

MOST_DRAWN: Final = 16
"""Sources with pictures. A picture of 40 pairs takes 48 KB, and a page should stay below 2 MB."""


def audit_page(audit: Audit) -> str:
    """The page; the same audit gives the same text.

    Pictures are those of the `MOST_DRAWN` sources that differ most from people on a pair, tables hold the pairs that
    pictures show; a page of one source has its picture.
    """
    by_error = sorted(range(len(audit.results)), key=lambda place: -audits.largest_error(audit.results[place]))
    drawn = by_error[:MOST_DRAWN]
    views = [
        {
            "name": found.name,
            "kind": found.kind,
            "criterion": found.criterion,
            "conclusion": conclusion(found),
            "left_out": left_out_words(found),
            "drawn": place in drawn,
            "pictures": list(_pictures(found)) if place in drawn else [],
            "pairs": list(_pair_rows(found)),
            "of_pairs": len(found.pairs),
            "further": list(_further(found)),
        }
        for place, found in enumerate(audit.results)
    ]
    return page("audit.html.j2", {"audit": audit, "views": views, "statistics": statistics_words(audit)})


def _pictures(found: AuditedSource) -> Iterator[tuple[str, str]]:
    """What each shows, and its SVG element."""
    if found.pairs:
        yield RATES_SHOWN, svg_of(audits.rates(found))
    if any(check.effect.value is not None for check in found.dependence):
        yield BIASES_SHOWN, svg_of(audits.biases(found))
    if found.probabilities is not None and found.probabilities.reliability:
        yield PROBABILITIES_SHOWN, svg_of(audits.probabilities(found))


def _pair_rows(found: AuditedSource) -> Iterator[tuple[str, ...]]:
    """Pair, items, and the win rate by people, by the source, and corrected; the winner first."""
    for pair in audits.farthest_pairs(found):
        of = pair.outcomes
        shares = (in_percent(share.value or 0.0) for share in (of.by_people, of.by_source))
        yield f"{pair.system_a} : {pair.system_b}", f"{of.items:,}", *shares, share_words(of.corrected)


def _further(found: AuditedSource) -> Iterator[str]:
    """What stands behind the conclusion."""
    yield from dependence_words(found)
    if found.orders is not None:
        yield from flip_words(found.orders)
    if found.probabilities is not None:
        yield from calibration_words(found.probabilities)

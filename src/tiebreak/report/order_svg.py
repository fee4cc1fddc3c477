"""The partial order as inline SVG: systems in columns from best to worst, an arrow for every decided pair drawn."""

from __future__ import annotations

from html import escape

from tiebreak.report.layout import Layout
from tiebreak.report.names import short_names, width
from tiebreak.results.names import printable
from tiebreak.results.order import Order
from tiebreak.settings.name_lists import listed_names

_ROW = 38.0
_BOX = 28.0
_GAP = 108.0
_FONT = 14.0
_HEAD = 30.0
_MARGIN = 6.0


def order_svg(order: Order, places: Layout, number: dict[str, int], key: str) -> tuple[str, float]:
    """The drawing and its natural width in pixels.

    `number`: of each system, written into the markup so that a script can show the arrows of one system. `key`: makes
    the identifiers of this drawing unique on a page. Colours come from the page's style sheet.
    """
    short = short_names(places.place)
    widths = [
        max((width(short[name], _FONT) for name, (k, _) in places.place.items() if k == column), default=0) + 24
        for column in range(places.columns)
    ]
    lefts = [_MARGIN]
    for box in widths:
        lefts.append(lefts[-1] + box + _GAP)
    total, height = lefts[-1] - _GAP + _MARGIN, _HEAD + places.rows * _ROW + _MARGIN
    if _same_column(order, places):
        total += 30
    parts = [
        f'<svg class="order" viewBox="0 0 {total:.0f} {height:.0f}" role="img" aria-labelledby="{key}-title" '
        f'style="width:{total:.0f}px">',
        f'<title id="{key}-title">{escape(printable(_spoken(order)))}</title>',
        f'<defs><marker id="{key}-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path class="tip" d="M0 0.5 8 4 0 7.5z"/></marker></defs>',
    ]
    parts += [
        f'<text class="tier" x="{lefts[k] + widths[k] / 2:.0f}" y="16">Tier {k + 1}</text>'
        for k in range(places.columns)
    ]
    parts += [_equivalence(edge, places, number, lefts, widths) for edge in order.equivalences]
    for edge, route in places.routes.items():
        parts.append(_arrow(edge, route, number, lefts, widths, key))
    meetings = {point for route in places.routes.values() for point in route if point[0] != int(point[0])}
    for between, row in sorted(meetings):
        parts.append(
            f'<circle class="meeting" cx="{lefts[int(between) + 1] - _GAP / 2:.0f}" cy="{_y(row):.1f}" r="3"/>'
        )
    for name, (tier, row) in places.place.items():
        parts.append(_box(name, short[name], number[name], lefts[tier], widths[tier], _y(row)))
    parts.append("</svg>")
    return "".join(parts), total


def _same_column(order: Order, places: Layout) -> bool:
    linked = (*order.drawn_edges, *order.equivalences)
    return any(places.place[a][0] == places.place[b][0] for a, b in linked)


def _spoken(order: Order) -> str:
    tiers = "; ".join(f"tier {k}: {listed_names(names)}" for k, names in enumerate(order.tiers, 1))
    return f"Order of the systems. {tiers}."


def _y(row: float) -> float:
    return _HEAD + row * _ROW


def _box(name: str, short: str, number: int, left: float, box: float, y: float) -> str:
    return (
        f'<g class="node" data-n="{number}"><title>{escape(printable(name))}</title>'
        f'<rect x="{left:.0f}" y="{y - _BOX / 2:.1f}" width="{box:.0f}" height="{_BOX:.0f}" rx="7"/>'
        f'<text x="{left + box / 2:.0f}" y="{y + 5:.1f}">{escape(short)}</text></g>'
    )


def _arrow(
    edge: tuple[str, str],
    route: tuple[tuple[float, float], ...],
    number: dict[str, int],
    lefts: list[float],
    widths: list[float],
    key: str,
) -> str:
    marks = f'data-w="{number[edge[0]]}" data-l="{number[edge[1]]}" marker-end="url(#{key}-tip)"'
    first, last = route[0], route[-1]
    if first[0] == last[0]:  # a contradiction: both are in one tier
        x, y0, y1 = lefts[int(first[0])] + widths[int(first[0])], _y(first[1]), _y(last[1])
        arc = f"M{x:.0f} {y0:.1f}C{x + 34:.0f} {y0:.1f} {x + 34:.0f} {y1:.1f} {x:.0f} {y1:.1f}"
        return f'<path class="edge cycle" {marks} d="{arc}"/>'
    x, y = lefts[int(first[0])] + widths[int(first[0])], _y(first[1])
    path = [f"M{x:.0f} {y:.1f}"]
    for k, (column, row) in enumerate(route[1:], 1):
        last_point, to = k == len(route) - 1, _y(row)
        between = column != int(column)
        end = lefts[int(column) + 1] - _GAP / 2 if between else lefts[int(column)] - (2 if last_point else 0)
        bend = (end - x) * 0.5
        path.append(f"C{x + bend:.0f} {y:.1f} {end - bend:.0f} {to:.1f} {end:.0f} {to:.1f}")
        if not last_point and not between:
            end += widths[int(column)]
            path.append(f"H{end:.0f}")
        x, y = end, to
    return f'<path class="edge" {marks} d="{"".join(path)}"/>'


def _equivalence(
    edge: tuple[str, str], places: Layout, number: dict[str, int], lefts: list[float], widths: list[float]
) -> str:
    (ka, ra), (kb, rb) = sorted((places.place[edge[0]], places.place[edge[1]]))
    marks = f'class="edge same" data-w="{number[edge[0]]}" data-l="{number[edge[1]]}"'
    x, y, to = lefts[ka] + widths[ka], _y(ra), _y(rb)
    if ka == kb:
        return f'<path {marks} d="M{x:.0f} {y:.1f}C{x + 28:.0f} {y:.1f} {x + 28:.0f} {to:.1f} {x:.0f} {to:.1f}"/>'
    end = lefts[kb]
    bend = (end - x) / 2
    return f'<path {marks} d="M{x:.0f} {y:.1f}C{x + bend:.0f} {y:.1f} {end - bend:.0f} {to:.1f} {end:.0f} {to:.1f}"/>'

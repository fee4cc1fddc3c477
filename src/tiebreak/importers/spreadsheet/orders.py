"""Which system a judge was shown first, where the file holds each question in both orders."""

from __future__ import annotations

from tiebreak.importers.spreadsheet.collected import Row


def tell_orders(judged: list[Row]) -> bool:
    """Where one judge answers about a pair both ways round, system_a was shown first: note it as `left`.

    True if that was found; rows that say `left` themselves are left alone.
    """
    asked = {_question(row, str(row["system_a"]), str(row["system_b"])) for row in judged}
    both = [row for row in judged if _question(row, str(row["system_b"]), str(row["system_a"])) in asked]
    if not both or any(row.get("left") for row in judged):
        return False
    for row in judged:
        row["left"] = row["system_a"]
    return True


def _question(row: Row, first: str, second: str) -> tuple[object, ...]:
    return row["judge"], row["item"], row.get("criterion"), first, second

"""The records that the demo's systems describe: invented restaurants, train delays and weather forecasts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

Value = str | int


@dataclass(frozen=True, slots=True)
class Record:
    """One structured input: its kind (one of `KINDS`) and the value of every slot, in order."""

    kind: str
    slots: dict[str, Value]

    def to_text(self) -> str:
        """What a person reads as the input: `Train delay | train: 482 | destination: Thornwick | ...`."""
        parts = (f"{slot}: {show_value(slot, value)}" for slot, value in self.slots.items())
        return " | ".join((_TITLES[self.kind], *parts))


def show_value(slot: str, value: Value) -> str:
    """A slot's value in words, with its unit in the right number: `1 minute`, `12 minutes`, `-3 degrees`."""
    if slot not in _UNITS:
        return str(value)
    one, many = _UNITS[slot]
    return f"{value} {one if value in (1, -1) else many}"


def draw_record(kind: str, rng: np.random.Generator) -> Record:
    """One record of a kind (see `KINDS`), consistent in itself."""
    while True:
        record = Record(kind, _DRAWS[kind](rng))
        if is_consistent(record):
            return record


def draw_wrong_value(record: Record, slot: str, rng: np.random.Generator) -> Value:
    """A plausible value of `slot` that is not the record's, and with which the record is still consistent."""
    while True:
        value = _DRAWS[record.kind](rng)[slot]
        if value != record.slots[slot] and is_consistent(Record(record.kind, {**record.slots, slot: value})):
            return value


def draw_distinct_records(count: int, rng: np.random.Generator) -> list[Record]:
    """`count` records of kinds drawn at random, no two with the same slots (there are many millions)."""
    seen: set[str] = set()
    records: list[Record] = []
    while len(records) < count:
        record = draw_record(_pick(KINDS, rng), rng)
        text = record.to_text()
        if text not in seen:
            seen.add(text)
            records.append(record)
    return records


def is_consistent(record: Record) -> bool:
    """Whether the record could be true: no train goes via where it ends, no low above a high; snow is cold."""
    slots = record.slots
    if record.kind == "train":
        return slots["destination"] != slots["via"]
    if record.kind == "weather":
        low, high, speed = (int(slots[slot]) for slot in ("low", "high", "speed"))
        warmest, calmest, windiest = _SKIES[str(slots["sky"])]
        # The low stays well below the warmest high, or a record might have no second high to be wrong about.
        return low + 3 <= high <= min(warmest, low + 14) and low <= warmest - 8 and calmest <= speed <= windiest
    return True


def _pick(options: Sequence[str], rng: np.random.Generator) -> str:
    return options[int(rng.integers(len(options)))]


def _restaurant(rng: np.random.Generator) -> dict[str, Value]:
    return {
        "name": f"{_pick(_NAME_STARTS, rng)} {_pick(_NAME_ENDS, rng)}",
        "food": _pick(_FOODS, rng),
        "price": _pick(("cheap", "mid-priced", "expensive"), rng),
        "area": _pick(_AREAS, rng),
        "near": _pick(_LANDMARKS, rng),
        "stars": int(rng.integers(1, 6)),
        "seats": int(rng.integers(3, 19)) * 5,
    }


def _train(rng: np.random.Generator) -> dict[str, Value]:
    return {
        "train": int(rng.integers(101, 1000)),
        "destination": _pick(_TOWNS, rng),
        "via": _pick(_TOWNS, rng),
        "time": f"{int(rng.integers(5, 24)):02d}:{int(rng.integers(60)):02d}",
        "platform": int(rng.integers(1, 13)),
        "delay": int(rng.integers(1, 31)),
    }


def _weather(rng: np.random.Generator) -> dict[str, Value]:
    return {
        "place": _pick(_TOWNS, rng),
        "day": _pick(_DAYS, rng),
        "sky": _pick(tuple(_SKIES), rng),
        "high": int(rng.integers(-2, 29)),
        "low": int(rng.integers(-8, 19)),
        "wind": _pick(_WINDS, rng),
        "speed": int(rng.integers(1, 13)) * 5,
    }


_DRAWS: Final[dict[str, Callable[[np.random.Generator], dict[str, Value]]]] = {
    "restaurant": _restaurant,
    "train": _train,
    "weather": _weather,
}
KINDS: Final = tuple(_DRAWS)
_TITLES: Final = {"restaurant": "Restaurant", "train": "Train delay", "weather": "Weather"}
_UNITS: Final = {
    "stars": ("star", "stars"),
    "delay": ("minute", "minutes"),
    "high": ("degree", "degrees"),
    "low": ("degree", "degrees"),
    "speed": ("km/h", "km/h"),
}
_NAME_STARTS: Final = (
    "The Copper", "The Velvet", "The Quiet", "The Paper", "The Salted", "The Crooked", "The Amber",
    "The Wandering", "The Blue", "The Second", "The Honest", "The Sleepy",
)  # fmt: skip
_NAME_ENDS: Final = (
    "Heron", "Spoon", "Lantern", "Fig", "Anchor", "Teapot", "Walnut", "Ladder", "Otter", "Pantry",
    "Thimble", "Magpie",
)  # fmt: skip
_FOODS: Final = (
    "Italian", "Thai", "Greek", "Indian", "Lebanese", "Mexican", "Ethiopian", "French", "Japanese",
    "Turkish", "vegetarian", "Peruvian",
)  # fmt: skip
_AREAS: Final = (
    "the old town", "the harbour district", "the market quarter", "the garden district", "the north end",
    "the riverside quarter", "the mill quarter", "the upper town",
)  # fmt: skip
_LANDMARKS: Final = (
    "the Moonbeam Cinema", "the tram depot", "Larkspur Bridge", "the clock tower", "the Glass Library",
    "Fennel Square", "the botanical garden", "the Tinsmith Theatre", "the fish market", "Observatory Hill",
)  # fmt: skip
_TOWNS: Final = (
    "Thornwick", "Eastmere", "Hollowbrook", "Saltmarsh", "Vexley", "Old Pelham", "Quillford", "Marrowdale",
    "Wrenbury", "Fallowgate", "Oxenholt", "Dunmarrow", "Applecross Halt", "Birkenfold", "Lower Tansy",
    "Greyhaven", "Nettlestead Bay", "Ivorleigh", "Stonequay", "Upper Lindle",
)  # fmt: skip
_SKIES: Final = {
    "sunny": (40, 5, 40),
    "bright": (40, 5, 40),
    "cloudy": (40, 5, 60),
    "overcast": (40, 5, 60),
    "rainy": (40, 5, 60),
    "foggy": (40, 5, 15),
    "stormy": (40, 40, 60),
    "snowy": (8, 5, 60),
}
"""What goes with a sky: the warmest high in degrees, the lowest and the highest wind speed in km/h."""

_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WINDS: Final = (
    "northerly", "north-easterly", "easterly", "south-easterly", "southerly", "south-westerly", "westerly",
    "north-westerly",
)  # fmt: skip

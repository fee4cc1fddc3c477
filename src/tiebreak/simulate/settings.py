"""What a simulation is told beside the protocol: systems, people, a replay, and how many campaigns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from tiebreak.errors import UsageError
from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting

STEPS: Final = "steps"
QUICK: Final = "vectorised"

RatingUse = Literal["mean", "each"]
RATING_USES: Final[tuple[RatingUse, ...]] = ("mean", "each")

QUALITY: Final = Setting(
    "Quality of each system; a perfect judge prefers the better one more often by the difference",
    metavar="A,B,...",
    at_least=-shared.LARGEST_QUALITY,
    at_most=shared.LARGEST_QUALITY,
)
_SYSTEMS: Final = "Simulated systems"
_PEOPLE: Final = "People"
_REPLAY: Final = "Replay"


@dataclass(frozen=True, slots=True)
class SimulatedSystems:
    """Systems and items, as `people.agents.World` has them. Raises `UsageError` for impossible values."""

    qualities: tuple[float, ...] = setting(
        (0.2, 0.0),
        QUALITY,
        panel=_SYSTEMS,
    )
    number_of_items: int = setting(500, shared.SIMULATED_ITEMS, panel=_SYSTEMS)
    spread: float = setting(
        0.2,
        Setting(
            "Standard deviation of a system's outputs around its quality", at_least=0, at_most=shared.LARGEST_QUALITY
        ),
        panel=_SYSTEMS,
    )
    cluster_size: int = setting(
        1,
        Setting("Number of items of one document", at_least=1, at_most=shared.MOST_ITEMS_SIMULATED),
        panel=_SYSTEMS,
    )
    intraclass: float = setting(
        0.0, Setting("Correlation of a system's outputs in one document", at_least=0, at_most=1), panel=_SYSTEMS
    )
    metric_quality_correlation: float | None = setting(
        None,
        Setting('Correlation of the metric "metric" with the quality of outputs', at_least=-1, at_most=1),
        panel=_SYSTEMS,
    )

    def __post_init__(self) -> None:
        check_settings(self)
        if len(self.qualities) < 2:
            raise UsageError(f"qualities are {self.qualities}, but must be 2 numbers or more, such as 0.2,0")


@dataclass(frozen=True, slots=True)
class CrowdSettings:
    """People, as `people.workers.Worker` has them. `crowd` None: 10, or in a replay as many as an item needs.

    Raises `UsageError` for impossible values.
    """

    crowd: int | None = setting(
        None,
        Setting(
            shared.CROWD.help,
            at_least=1,
            at_most=1000,
            default_words="10; in a replay as many as an item needs",
        ),
        panel=_PEOPLE,
    )
    capability: tuple[float, ...] = setting(
        (0.8, 1.0),
        Setting(
            "Capability of people, or its range: 0 answers at random, 1 sees everything",
            metavar="LOW,HIGH",
            at_least=0,
            at_most=1,
        ),
        panel=_PEOPLE,
    )
    indifference: float = setting(
        0.1,
        Setting(
            "Difference in quality below which people may answer that there is none",
            at_least=0,
            at_most=shared.LARGEST_QUALITY,
        ),
        panel=_PEOPLE,
    )
    side: float = setting(
        0.0,
        Setting("Share of labels that take the left side blindly; negative: the right", at_least=-1, at_most=1),
        panel=_PEOPLE,
    )
    spam: float = setting(0.0, Setting("Share of labels given at random", at_least=0, at_most=1), panel=_PEOPLE)
    seconds: float = setting(30.0, shared.SECONDS, panel=_PEOPLE)

    def __post_init__(self) -> None:
        check_settings(self)
        if len(self.capability) not in (1, 2) or self.capability[0] > self.capability[-1]:
            raise UsageError(f"capability is {self.capability}, but must be a number or LOW,HIGH, both from 0 to 1")


_RATERS: Final = "Simulated ratings"


@dataclass(frozen=True, slots=True)
class RaterSettings:
    """Systems, outputs and people of a campaign of ratings, as `RatingWorld` has them; numbers are points
    of the ratings; `raters`: how many people. Raises `UsageError` for impossible values.
    """

    means: tuple[float, ...] = setting(
        (3.0, 3.3),
        Setting(
            "Worth of each system",
            metavar="A,B,...",
            at_least=-shared.LARGEST_RATING,
            at_most=shared.LARGEST_RATING,
        ),
        panel=_RATERS,
    )
    sigma_f: float = setting(
        1.0,
        Setting("Standard deviation of a system's outputs", at_least=0, at_most=shared.LARGEST_RATING),
        panel=_RATERS,
    )
    sigma_a: float = setting(
        0.8,
        Setting("Standard deviation of ratings of one output", at_least=0, at_most=shared.LARGEST_RATING),
        panel=_RATERS,
    )
    common: float = setting(
        0.5,
        Setting("Share of the variance of outputs that all systems share on an item", at_least=0, at_most=1),
        panel=_RATERS,
    )
    severity: float = setting(
        0.0,
        Setting("Standard deviation of how severe people are", at_least=0, at_most=shared.LARGEST_RATING),
        panel=_RATERS,
    )
    drift: float = setting(
        0.0,
        Setting("Points that a person adds with every rating", at_least=-1000, at_most=1000),
        panel=_RATERS,
    )
    seconds_per_rating: float = setting(
        30.0, Setting("Seconds per rating", at_least=shared.LEAST_SECONDS, at_most=shared.MOST_SECONDS), panel=_RATERS
    )
    number_of_items: int = 500
    raters: int = 10
    metric_quality_correlation: float | None = None

    def __post_init__(self) -> None:
        check_settings(self)
        if not self.means:
            raise UsageError("means are missing: give a number for each system, such as 3,3.4")


@dataclass(frozen=True, slots=True)
class ReplaySettings:
    """How labels of a study that exist are read. Raises `UsageError` for impossible values."""

    ratings: RatingUse = setting(
        "mean",
        Setting(
            "Labels made of ratings",
            option="from-ratings",
            choices={"mean": "of all annotators, compared", "each": "annotator's own, compared"},
        ),
        panel=_REPLAY,
    )
    tie_threshold: float = setting(0.0, shared.TIE_THRESHOLD, panel=_REPLAY)
    annotators: tuple[str, ...] | None = setting(None, shared.ANNOTATORS, panel=_REPLAY)

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How many campaigns are simulated, and how. Raises `UsageError` for impossible values."""

    repetitions: int | None = setting(None, replace(shared.REPETITIONS, default_words="1000 vectorised, else 100"))
    seed: int = setting(0, shared.SIMULATION_SEED)
    engine: str = setting(
        "auto",
        Setting("Way to simulate", choices={"auto": "the fastest that can", STEPS: "event by event", QUICK: "at once"}),
    )
    workers: int | None = setting(None, shared.WORKERS)

    def __post_init__(self) -> None:
        check_settings(self)

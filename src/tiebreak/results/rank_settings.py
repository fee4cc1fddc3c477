"""What `rank` was asked for, checked. The options of the command are made from this record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final, Literal

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.records import MATCHINGS, LabelRule, Matching, Raters
from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting

GlickoVariant = Literal["paper", "standard"]
Together = Literal["holm", "none"]

SOURCES: Final = ("preferences", "ratings", "judges")
JUDGE_PREFIX: Final = "judge:"
LEAST_WEIGHT: Final = 0.001
LARGEST_WEIGHT: Final = 1000.0
LARGEST_ANCHOR: Final = 1_000_000.0

_SOURCE: Final = Setting(
    "Comparisons to rate by: preferences, ratings, judges or judge:NAME, with =WEIGHT for what one of them counts for",
    option="source",
    metavar="NAME",
)
_TOGETHER: Final = replace(
    shared.MULTIPLICITY,
    choices={"holm": "all intervals hold together, all places and all verdicts", "none": "each by itself"},
)
_SIDE: Final = Setting(
    "Estimate the advantage of the output shown on the left", flags="--left-advantage/--no-left-advantage"
)
_MATCHING: Final = Setting(
    "Pair that plays next in the Glicko-2 tournament",
    choices=dict(zip(MATCHINGS, ("", "for the order", "for the best system alone"), strict=True)),
)
_VARIANT: Final = Setting(
    "Also rate by a Glicko-2 tournament of this form",
    default_words="no tournament",
    choices={"paper": "deviations never grow, a draw moves a tenth", "standard": "Glickman's, a game is a period"},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSettings:
    """Settings of a leaderboard; fix them before looking at results. Several names may be any sequence; None takes all.

    Without `sources` people's labels are rated: preferences, and ratings of pairs that have none.

    Raises:
        UsageError: an impossible value.
    """

    sources: Sequence[str] = setting((), _SOURCE)
    criteria: Sequence[str] | None = setting(None, shared.CRITERION)
    systems: Sequence[str] | None = setting(None, shared.SYSTEMS)
    anchor: str | None = setting(
        None, Setting("System whose rating is fixed; without it the mean of all is", metavar="SYSTEM")
    )
    anchor_rating: float = setting(
        1500.0,
        Setting("Rating of the anchor, or of the mean", at_least=-LARGEST_ANCHOR, at_most=LARGEST_ANCHOR),
    )
    alpha: float = setting(0.05, shared.ALPHA)
    multiplicity: Together = setting("holm", _TOGETHER)
    left_advantage: bool = setting(False, _SIDE)
    several: LabelRule = setting("mean", shared.SEVERAL)
    raters: Raters = setting("same", shared.RATERS_COMPARED)
    annotators: Sequence[str] | None = setting(None, shared.ANNOTATORS)
    exclude: Sequence[str] | None = setting(None, shared.EXCLUDED)
    tie_threshold: float = setting(0.0, shared.TIE_THRESHOLD)
    glicko2: GlickoVariant | None = setting(None, _VARIANT)
    matching: Matching = setting("random", _MATCHING)
    max_games: int = setting(100_000, Setting("Most games of the tournament", at_least=1, at_most=1_000_000))
    seed: int = setting(1, Setting("Seed of the tournament", at_least=0, at_most=shared.LARGEST_SEED))

    def __post_init__(self) -> None:
        for name in ("sources", "criteria", "systems", "annotators", "exclude"):
            value = getattr(self, name)
            named = (value,) if isinstance(value, str) else value
            object.__setattr__(self, name, None if named is None else tuple(named))
        check_settings(self)
        asked_sources(self.sources)
        if self.raters == "any" and self.several != "mean":
            raise UsageError(f"raters any needs --several mean; {self.several} takes the two ratings of one person")
        if self.left_advantage and self.several == "majority":
            raise UsageError("--left-advantage needs --several mean or first: a majority was shown on no side")

    def to_dict(self) -> dict[str, object]:
        """All settings by name, tuples as lists."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class AskedSource:
    """One kind of comparison with its weight; `kind`: one of `SOURCES`, `judge`: the one meant, None: every one."""

    kind: str
    weight: float = 1.0
    judge: str | None = None


def asked_sources(sources: Sequence[str]) -> tuple[AskedSource, ...]:
    """The sources as they were asked for, () without any.

    Raises:
        UsageError: an unknown source, one named twice, or a weight that is no number from 0.001 to 1000.
    """
    found = [_asked(text) for text in sources]
    names = [(of.kind, of.judge) for of in found]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--source names {name[0]} twice; each source has one weight")
    if ("judges", None) in names and any(judge is not None for _, judge in names):
        raise UsageError("--source judges takes every judge: name no judge beside it")
    return tuple(found)


def _asked(text: str) -> AskedSource:
    name, equals, written = text.rpartition("=")
    weight = _weight(written) if equals else None
    if weight is None:  # the name of a judge may have an equals sign in it
        name, weight = text, 1.0
    if name.startswith(JUDGE_PREFIX) and len(name) > len(JUDGE_PREFIX):
        return AskedSource("judges", weight, name.removeprefix(JUDGE_PREFIX))
    if name in SOURCES:
        return AskedSource(name, weight)
    kind, equals, written = text.partition("=")
    if equals and kind in SOURCES:
        raise UsageError(
            f"--source {text}: the weight must be a number from {LEAST_WEIGHT:g} to {LARGEST_WEIGHT:g}, as in "
            f"{kind}=0.5"
        )
    known = (*SOURCES, f"{JUDGE_PREFIX}NAME")
    raise UsageError(f"--source {text}: name one of {', '.join(known)}{did_you_mean(name, known)}")


def _weight(written: str) -> float | None:
    try:
        weight = float(written)
    except ValueError:
        return None
    return weight if LEAST_WEIGHT <= weight <= LARGEST_WEIGHT else None

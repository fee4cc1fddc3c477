"""How outputs are scored by what was trained. The options of the command are made from this record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from tiebreak.errors import UsageError
from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting

By = Literal["both", "points", "rating"]

_BY: Final = {
    "both": "",
    "points": "3 for a win over a common reference, 1 for a tie, 0 for a loss",
    "rating": "Glicko-2, each output a player",
}
COMPARISONS: Final = ("references_from", "by", "references", "games", "equal_comparisons", "system_games", "seed")
"""Settings of comparisons, of no use where each output is scored alone."""

_SCORED: Final = replace(shared.SYSTEMS, default_words="all but those of --references-from")
_FROM: Final = Setting(
    "Systems whose outputs are the common references; they are not scored",
    metavar="A,B,...",
    listed=True,
    default_words="all that are not scored",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSettings:
    """Which outputs, by what comparisons (50 references, 10,000 games: the paper's); `name` None: "evaluator", or the
    form of what scores each output alone, which has no use for COMPARISONS.

    Raises:
        UsageError: an impossible value, an empty name, or a system that would be scored against itself.
    """

    name: str | None = setting(None, replace(shared.NAME, default_words="evaluator, discriminator or regressor"))
    criterion: str | None = setting(None, Setting(shared.CRITERION.help, metavar="NAME", default_words="all"))
    systems: Sequence[str] | None = setting(None, _SCORED)
    references_from: Sequence[str] | None = setting(None, _FROM)
    by: By = setting("both", Setting("What comparisons are counted by", choices=_BY))
    references: int = setting(50, Setting("Common references", at_least=1, at_most=100_000, such_as="50"))
    games: int = setting(
        10_000, Setting("Games of all outputs together", at_least=1, at_most=10_000_000, such_as="10000")
    )
    equal_comparisons: bool = setting(
        False,
        Setting(
            "Play as many games as there are comparisons with references, or --games",
            flags="--equal-comparisons/--own-games",
        ),
    )
    system_games: int = setting(
        100_000, Setting("Most games of the tournament of systems", at_least=1, at_most=1_000_000, such_as="100000")
    )
    seed: int = setting(0, Setting("Seed of references and games", at_least=0, at_most=shared.LARGEST_SEED))

    def __post_init__(self) -> None:
        for field in ("systems", "references_from"):
            value = getattr(self, field)
            named = (value,) if isinstance(value, str) else value  # one name is a list of one, not of its letters
            object.__setattr__(self, field, None if named is None else tuple(named))
        if self.name is not None and not self.name.strip():
            raise UsageError("a metric needs a name")
        both = sorted(set(self.systems or ()) & set(self.references_from or ()))
        if both:
            raise UsageError(f"{both[0]} cannot be scored and give references: leave it out of one of the two")
        check_settings(self)

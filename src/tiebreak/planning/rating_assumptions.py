"""What a plan of ratings starts from, checked; nothing here computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tiebreak.errors import UsageError
from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting

_PANEL: Final = "Ratings"


@dataclass(frozen=True, slots=True)
class RatingAssumptions:
    """What is expected of ratings, in their points. `half_width`: how well a mean is to be known; `sigma_f`, `sigma_a`:
    standard deviations of a system's outputs, and of ratings of one output; `common`: the share of the variance of
    outputs that all systems share on an item, which differences do not have; `metric_rho`: the correlation of a metric
    with what people mean of outputs of one system. `prompts`: questions that could be asked, with their prices.

    Raises:
        UsageError: an impossible value.
    """

    half_width: float | None = setting(None, shared.HALF_WIDTH, panel=_PANEL)
    sigma_f: float = setting(
        1.0, Setting("Standard deviation of a system's outputs", above=0, at_most=shared.LARGEST_RATING), panel=_PANEL
    )
    sigma_a: float = setting(
        0.8,
        Setting("Standard deviation of ratings of one output", at_least=0, at_most=shared.LARGEST_RATING),
        panel=_PANEL,
    )
    until: str = setting("means", shared.UNTIL, panel=_PANEL)
    common: float = setting(
        0.0,
        Setting("Share of the variance of outputs that all systems share on an item", at_least=0, at_most=1),
        panel=_PANEL,
    )
    metric_rho: float | None = setting(
        None, Setting("Correlation of a metric with what people mean", above=0, below=1), panel=_PANEL
    )
    prompts: tuple[str, ...] = setting(
        (),
        Setting("Question with its price, and its gamma", option="prompt", metavar="NAME=PRICE:GAMMA"),
        panel=_PANEL,
    )

    def __post_init__(self) -> None:
        check_settings(self)
        if self.until == "directions":
            raise UsageError("a plan of ratings is until means or differences; for directions use tiebreak simulate")
        parse_prompts(self.prompts)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question that could be asked. `rank` by price (1 + gamma), what the same certainty costs: lowest first."""

    name: str
    price: float
    gamma: float

    @property
    def cost(self) -> float:
        """Price (1 + gamma)."""
        return self.price * (1 + self.gamma)


def parse_prompts(written: Sequence[str]) -> tuple[Prompt, ...]:
    """`Edit=0.40:0.36` and more, the cheapest first.

    Raises:
        UsageError: another form, or a number out of range.
    """
    found = []
    for words in written:
        name, _, numbers = words.rpartition("=")
        price, _, gamma = numbers.partition(":")
        try:
            one = Prompt(name.strip(), float(price), float(gamma))
        except ValueError:
            raise UsageError(f"--prompt {words!r}: write NAME=PRICE:GAMMA, such as Edit=0.40:0.36") from None
        if not one.name or not (0 < one.price <= shared.LARGEST_PRICE) or not (0 <= one.gamma <= shared.LARGEST_NUMBER):
            raise UsageError(f"--prompt {words!r} needs a name, a price above 0 and a gamma of at least 0")
        found.append(one)
    return tuple(sorted(found, key=lambda one: one.cost))

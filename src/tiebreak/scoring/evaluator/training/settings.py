"""What a training was asked for, checked. The options of the command are made from this record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from tiebreak.errors import UsageError
from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings, refuse_given
from tiebreak.settings.setting import Setting, setting

Form = Literal["siamese", "cross", "discriminator", "regressor"]
Curriculum = Literal["falling", "none", "rising"]
"""How large the margins of weak pairs are that are shown: from large to small, all at once, from small to large."""

COMPARING: Final[tuple[Form, ...]] = ("siamese", "cross")
"""The forms that compare two texts, and are evaluators; the others score each text alone."""

_FORMS: Final = {
    "siamese": "one score per text given its context; n texts cost n passes",
    "cross": "context and both texts in one sequence, in both orders; n texts cost n (n - 1) passes",
    "discriminator": "compares nothing: was a text written by a person or generated",
    "regressor": "compares nothing: the mean rating of a text, given its context and reference",
}
_OF_COMPARING: Final = ("strong", "weak", "human", "ties", "curriculum", "tie_mix", "across")
_CURRICULA: Final = {
    "falling": "pairs of distant checkpoints first",
    "none": "all from the start",
    "rising": "near ones first",
}
_ENCODER: Final = Setting("Model of the BERT family: a name at the model hub or a folder", metavar="NAME")
_SHARE: Final = Setting(
    "Share of the contexts that is not learned from: half says when to stop, half is measured",
    at_least=0.0,
    at_most=0.9,
    such_as="0.1",
)
_ROUNDS: Final = Setting("How often each context is seen, in each stage", above=0.0, at_most=10_000.0, such_as="4")
_RATE: Final = Setting(
    "Highest learning rate of the encoder", option="learning-rate", above=0.0, at_most=1.0, such_as="0.0001"
)
_FOLDS: Final = Setting(
    "Train this many evaluators, each without one part of the contexts, so that each context has one that did not "
    "learn from it",
    at_least=2, at_most=50, such_as="5",
)  # fmt: skip
_SEED: Final = Setting("Seed of what is drawn, dropped out and held out", at_least=0, at_most=shared.LARGEST_SEED)
_MIX: Final = Setting('Ties for each "better" in strong supervision, at most', at_least=0.0, at_most=100.0, such_as="1")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainSettings:
    """Settings of one training. `rounds` of the stages strong, weak and human, as far as the studies have them.

    A discriminator learns from references and outputs alone, a regressor from ratings alone.

    Raises:
        UsageError: an impossible value, with the nearest possible one where there is a near miss; or one that is not
            for this form.
    """

    form: Form = setting("siamese", Setting("What is trained", choices=_FORMS))
    encoder: str = setting("sentence-transformers/all-MiniLM-L6-v2", _ENCODER)
    pretrained: bool = setting(
        True, Setting("Begin with the encoder's weights, or with random ones", flags="--pretrained/--from-scratch")
    )
    strong: bool = setting(True, Setting("Learn that references are better", flags="--strong/--no-strong"))
    weak: bool = setting(True, Setting("Learn that later checkpoints are better", flags="--weak/--no-weak"))
    human: bool = setting(True, Setting("Learn what people prefer and rate higher", flags="--labels/--no-labels"))
    ties: bool = setting(True, Setting("Learn ties as an outcome", flags="--learn-ties/--no-learn-ties"))
    curriculum: Curriculum = setting("falling", Setting("Order of weak pairs by their margin", choices=_CURRICULA))
    tie_mix: float = setting(1.0, _MIX)
    criteria: Sequence[str] | None = setting(None, shared.CRITERION)
    across: bool = setting(
        False,
        Setting("Compare rated texts about different inputs, too, or of one input alone", flags="--across/--within"),
    )
    held_out: float = setting(0.2, _SHARE)
    held_out_systems: Sequence[str] | None = setting(
        None, replace(shared.SYSTEMS, help="Systems whose texts are kept for measuring")
    )
    folds: int | None = setting(None, _FOLDS)
    rounds: float = setting(4.0, _ROUNDS)
    rate: float = setting(1e-4, _RATE)
    contexts_at_once: int = setting(
        0, Setting("Contexts in one step; 0: as many as make about 16 texts", at_least=0, at_most=10_000, such_as="8")
    )
    pairs_at_once: int = setting(256, Setting("Pairs in one step, at most", at_least=1, at_most=100_000, such_as="256"))
    context_tokens: int = setting(
        384,
        Setting("Tokens read of a context: its first and last ones", at_least=0, at_most=100_000, such_as="384"),
    )
    text_tokens: int = setting(
        96, Setting("Tokens read of a text: its first ones", at_least=1, at_most=100_000, such_as="96")
    )
    patience: int = setting(
        4,
        Setting(
            "Looks at held-out pairs without a gain, after which a stage ends", at_least=1, at_most=1000, such_as="4"
        ),
    )
    seed: int = setting(0, _SEED)

    def __post_init__(self) -> None:
        for name in ("criteria", "held_out_systems"):
            value = getattr(self, name)
            named = (value,) if isinstance(value, str) else value  # one name is a list of one, not of its letters
            object.__setattr__(self, name, None if named is None else tuple(named))
        check_settings(self)
        if not self.compares:
            no_use = (*_OF_COMPARING, "criteria") if self.form == "discriminator" else _OF_COMPARING
            refuse_given(self, no_use, f"cannot be given with --form {self.form}: it is for evaluators")
        if self.across:
            self._check_across()

    def _check_across(self) -> None:
        if self.form != "siamese":
            raise UsageError("--across is for --form siamese: --form cross reads two texts about one input")
        if not self.human:
            raise UsageError("--across is about ratings, and --no-labels learns from none")
        if self.contexts_at_once == 1:
            raise UsageError("--across compares texts of the inputs of one step: give --contexts-at-once 2 or more")

    @property
    def compares(self) -> bool:
        """Whether it trains an evaluator, and not what scores each text alone."""
        return self.form in COMPARING

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        found = asdict(self)
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}

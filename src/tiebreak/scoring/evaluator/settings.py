"""Settings of judging and of choosing by an evaluator. The options of the commands are made from these records.

What a training was asked for, checked. The options of the command are made from this record.

How outputs are scored by what was trained. The options of the command are made from this record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from tiebreak.errors import UsageError
from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings, refuse_given
from tiebreak.settings.setting import Setting, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorJudgingSettings:
    """Which pairs, by what name, on which criterion (None: on all, as labels without a criterion are).

    Raises:
        UsageError: an empty name.
    """

    name: str = setting("evaluator", shared.NAME)
    criterion: str | None = setting(None, Setting(shared.CRITERION.help, metavar="NAME", default_words="all"))
    systems: Sequence[str] | None = setting(None, shared.SYSTEMS)
    pairs: Sequence[tuple[str, str]] | None = setting(None, shared.ONLY_PAIRS)

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise UsageError("a judge needs a name")
        check_settings(self)


WhichCheckpoint = Literal["lowest-loss", "last"]

_CHECKPOINTS: Final = {"lowest-loss": "with the lowest dev loss; the last of a run that has none", "last": "the last"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoosingSettings:
    """Raises:
    UsageError: an impossible value, or an empty name.
    """

    name: str = setting("evaluator", shared.NAME)
    checkpoint: WhichCheckpoint = setting(
        "lowest-loss", Setting("Checkpoint of each run that is compared", choices=_CHECKPOINTS)
    )
    alpha: float = setting(0.05, shared.ALPHA)

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise UsageError("a judge needs a name")
        check_settings(self)


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
        384, Setting("Tokens read of a context: its first and last ones", at_least=0, at_most=100_000, such_as="384")
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


StopRule = Literal["streak", "no-gain"]


_RULES: Final = {
    "streak": "after checks in a row with fewer wins than losses",
    "no-gain": "when a sequential test shows that nothing is gained",
}


_WRONG: Final = Setting(
    "Chance of stopping though each checkpoint gains that much (no-gain)", above=0.0, below=1.0, such_as="0.05"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowSettings:
    """Settings of learning-to-compare (4.1), and of the test beside it, which meets a text of the best checkpoint once.

    Raises:
        UsageError: an impossible value, or one of the other rule.
    """

    rule: StopRule = setting("streak", Setting("When to stop", option="stop-rule", choices=_RULES))
    comparisons: int = setting(
        1000,
        Setting(
            "Comparisons after each checkpoint, in all; no-gain takes fewer where items are few",
            at_least=1,
            at_most=1_000_000,
            such_as="1000",
        ),
    )
    previous: int = setting(
        2, Setting("Earlier checkpoints that share them (streak)", at_least=1, at_most=1000, such_as="2")
    )
    in_a_row: int = setting(5, Setting("Lost checks in a row (streak)", at_least=1, at_most=1000, such_as="5"))
    gain: float = setting(
        0.1,
        Setting("Gain that is worth going on for, in wins - losses per comparison (no-gain)",
                above=0.0, below=1.0, such_as="0.1"),
    )  # fmt: skip
    wrong_stop: float = setting(0.05, _WRONG)
    wait: int = setting(
        5, Setting("Checkpoints since the best one before it may stop (no-gain)", at_least=1, at_most=1000, such_as="5")
    )
    seed: int = setting(0, Setting("Seed of the items and samples", at_least=0, at_most=shared.LARGEST_SEED))

    def __post_init__(self) -> None:
        check_settings(self)
        others = ("gain", "wrong_stop", "wait") if self.rule == "streak" else ("previous", "in_a_row")
        refuse_given(self, others, f"cannot be given with --stop-rule {self.rule}")

"""What an evaluator is asked for, checked: its training, and all that is done by it. The options of the commands are
made from these records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from tiebreak.errors import UsageError
from tiebreak.scoring.settings import list_names
from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings, refuse_given
from tiebreak.settings.setting import Setting, setting


def _count(help_text: str, most: int, *, least: int = 1, such_as: str) -> Setting:
    """A whole number in a range."""
    return Setting(help_text, at_least=least, at_most=most, such_as=such_as)


def _refuse_empty(name: str | None, what: str) -> None:
    if name is not None and not name.strip():
        raise UsageError(f"a {what} needs a name")


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
        _refuse_empty(self.name, "judge")
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
        _refuse_empty(self.name, "judge")
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

Weights = Literal["fine-tuned", "frozen", "random"]

_WEIGHTS: Final = {
    "fine-tuned": "they go on learning",
    "frozen": "they stay, and the head alone learns: texts are read once",
    "random": "they are drawn, and learn",
}
ENOUGH_TEXTS: Final = 200
"""To learn from, for the whole encoder: of fewer, a frozen one learns about as much in a fraction of the time."""
_USUAL_WEIGHTS: Final = f"frozen where it learns from fewer than {ENOUGH_TEXTS} texts, else fine-tuned"

_CURRICULA: Final = {
    "falling": "pairs of distant checkpoints first",
    "none": "all from the start",
    "rising": "near ones first",
}
_SHARE: Final = "Share of the contexts that is not learned from: half says when to stop, half is measured"
_FOLDS: Final = (
    "Train this many evaluators, each without one part of the contexts, so that each context has one that did not "
    "learn from it"
)
_ACROSS: Final = "Compare rated texts about different inputs, too, or of one input alone"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainSettings:
    """Settings of one training. `rounds` of the stages strong, weak and human, as far as the studies have them.

    A discriminator learns from references and outputs alone, a regressor from ratings alone.

    Raises:
        UsageError: an impossible value, with the nearest possible one where there is a near miss; or one that is not
            for this form.
    """

    form: Form = setting("siamese", Setting("What is trained", choices=_FORMS))
    encoder: str = setting(
        "sentence-transformers/all-MiniLM-L6-v2",
        Setting("Model of the BERT family: a name at the model hub, a folder or an installed package", metavar="NAME"),
    )
    weights: Weights | None = setting(
        None, Setting("What becomes of the encoder's weights", choices=_WEIGHTS, default_words=_USUAL_WEIGHTS)
    )
    strong: bool = setting(True, Setting("Learn that references are better", flags="--strong/--no-strong"))
    weak: bool = setting(True, Setting("Learn that later checkpoints are better", flags="--weak/--no-weak"))
    human: bool = setting(True, Setting("Learn what people prefer and rate higher", flags="--labels/--no-labels"))
    ties: bool = setting(True, Setting("Learn ties as an outcome", flags="--learn-ties/--no-learn-ties"))
    curriculum: Curriculum = setting("falling", Setting("Order of weak pairs by their margin", choices=_CURRICULA))
    tie_mix: float = setting(
        1.0, Setting('Ties for each "better" in strong supervision, at most', at_least=0.0, at_most=100.0, such_as="1")
    )
    criteria: Sequence[str] | None = setting(None, shared.CRITERION)
    across: bool = setting(False, Setting(_ACROSS, flags="--across/--within"))
    held_out: float = setting(0.2, Setting(_SHARE, at_least=0.0, at_most=0.9, such_as="0.1"))
    held_out_systems: Sequence[str] | None = setting(
        None, replace(shared.SYSTEMS, help="Systems whose texts are kept for measuring")
    )
    folds: int | None = setting(None, _count(_FOLDS, 50, least=2, such_as="5"))
    rounds: float = setting(
        4.0, Setting("How often each context is seen, in each stage", above=0.0, at_most=10_000.0, such_as="4")
    )
    rate: float = setting(
        1e-4,
        Setting(
            "Highest learning rate of the encoder", option="learning-rate", above=0.0, at_most=1.0, such_as="0.0001"
        ),
    )
    contexts_at_once: int = setting(
        0, _count("Contexts in one step; 0: as many as make about 16 texts", 10_000, least=0, such_as="8")
    )
    pairs_at_once: int = setting(256, _count("Pairs in one step, at most", 100_000, such_as="256"))
    context_tokens: int = setting(
        384, _count("Tokens read of a context: its first and last ones", 100_000, least=0, such_as="384")
    )
    text_tokens: int = setting(96, _count("Tokens read of a text: its first ones", 100_000, such_as="96"))
    patience: int = setting(
        4, _count("Looks at held-out pairs without a gain, after which a stage ends", 1000, such_as="4")
    )
    seed: int = setting(
        0, Setting("Seed of what is drawn, dropped out and held out", at_least=0, at_most=shared.LARGEST_SEED)
    )

    def __post_init__(self) -> None:
        list_names(self, "criteria", "held_out_systems")
        check_settings(self)
        if not self.compares:
            no_use = (*_OF_COMPARING, "criteria") if self.form == "discriminator" else _OF_COMPARING
            refuse_given(self, no_use, f"cannot be given with --form {self.form}: it is for evaluators")
        if self.weights == "frozen" and self.form == "cross":
            raise UsageError("--weights frozen is for texts that are read apart: --form cross reads two at once")
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
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


By = Literal["both", "points", "rating"]

_BY: Final = {
    "both": "",
    "points": "3 for a win over a common reference, 1 for a tie, 0 for a loss",
    "rating": "Glicko-2, each output a player",
}
_EQUAL: Final = "Play as many games as there are comparisons with references, or --games"
COMPARISONS: Final = (
    "references_from",
    "by",
    "references",
    "games",
    "equal_comparisons",
    "system_games",
    "save_tournament",
    "seed",
)
"""Settings of comparisons, of no use where each output is scored alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSettings:
    """Which outputs, by what comparisons (50 references, 10,000 games: the paper's); `name` None: "evaluator", or the
    form of what scores each output alone, which has no use for COMPARISONS.

    Raises:
        UsageError: an impossible value, an empty name, or a system that would be scored against itself.
    """

    name: str | None = setting(None, replace(shared.NAME, default_words="evaluator, discriminator or regressor"))
    criterion: str | None = setting(None, Setting(shared.CRITERION.help, metavar="NAME", default_words="all"))
    systems: Sequence[str] | None = setting(
        None, replace(shared.SYSTEMS, default_words="all but those of --references-from")
    )
    references_from: Sequence[str] | None = setting(
        None,
        Setting(
            "Systems whose outputs are the common references; they are not scored",
            metavar="A,B,...", listed=True, default_words="all that are not scored",
        ),
    )  # fmt: skip
    by: By = setting("both", Setting("What comparisons are counted by", choices=_BY))
    references: int = setting(50, _count("Common references", 100_000, such_as="50"))
    games: int = setting(10_000, _count("Games of all outputs together", 10_000_000, such_as="10000"))
    equal_comparisons: bool = setting(False, Setting(_EQUAL, flags="--equal-comparisons/--own-games"))
    system_games: int = setting(100_000, _count("Most games of the tournament of systems", 1_000_000, such_as="100000"))
    save_tournament: bool = setting(
        False, Setting("Save the rating of each system as a metric of its outputs, too", flags="--save-tournament")
    )
    seed: int = setting(0, Setting("Seed of references and games", at_least=0, at_most=shared.LARGEST_SEED))

    def __post_init__(self) -> None:
        list_names(self, "systems", "references_from")
        _refuse_empty(self.name, "metric")
        both = sorted(set(self.systems or ()) & set(self.references_from or ()))
        if both:
            raise UsageError(f"{both[0]} cannot be scored and give references: leave it out of one of the two")
        check_settings(self)


StopRule = Literal["streak", "no-gain"]

_RULES: Final = {
    "streak": "after checks in a row with fewer wins than losses",
    "no-gain": "when a sequential test shows that nothing is gained",
}
_COMPARISONS: Final = "Comparisons after each checkpoint, in all; no-gain takes fewer where items are few"
_GAIN: Final = "Gain that is worth going on for, in wins - losses per comparison (no-gain)"
_WRONG: Final = "Chance of stopping though each checkpoint gains that much (no-gain)"


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowSettings:
    """Settings of learning-to-compare (4.1), and of the test beside it, which meets a text of the best checkpoint once.

    Raises:
        UsageError: an impossible value, or one of the other rule.
    """

    rule: StopRule = setting("streak", Setting("When to stop", option="stop-rule", choices=_RULES))
    comparisons: int = setting(1000, _count(_COMPARISONS, 1_000_000, such_as="1000"))
    previous: int = setting(2, _count("Earlier checkpoints that share them (streak)", 1000, such_as="2"))
    in_a_row: int = setting(5, _count("Lost checks in a row (streak)", 1000, such_as="5"))
    gain: float = setting(0.1, Setting(_GAIN, above=0.0, below=1.0, such_as="0.1"))
    wrong_stop: float = setting(0.05, Setting(_WRONG, above=0.0, below=1.0, such_as="0.05"))
    wait: int = setting(5, _count("Checkpoints since the best one before it may stop (no-gain)", 1000, such_as="5"))
    seed: int = setting(0, Setting("Seed of the items and samples", at_least=0, at_most=shared.LARGEST_SEED))

    def __post_init__(self) -> None:
        check_settings(self)
        others = ("gain", "wrong_stop", "wait") if self.rule == "streak" else ("previous", "in_a_row")
        refuse_given(self, others, f"cannot be given with --stop-rule {self.rule}")

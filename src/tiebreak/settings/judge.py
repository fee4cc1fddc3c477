"""What `[judges.NAME]` of a study says of a judge: which model is asked what, in which way, and at which price."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from tiebreak.errors import UsageError
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting

ProviderName = Literal["openai", "anthropic"]
Orders = Literal["both", "one"]

FEWEST_TOKENS: Final = 8192
"""A reasoning model that may write less is cut off before it answers, and paid all the same."""

_LARGEST_PRICE: Final = 1_000_000
_HIGHEST_GRADE: Final = 100
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]*")
_LABEL: Final = re.compile(r"[^\s\[\]]+")
_OURS: Final = ("model", "messages", "system", "max_tokens", "max_completion_tokens", "stream", "n", "temperature")
INPUT_PRICE: Final = Setting("Price of a million tokens read", metavar="AMOUNT", at_least=0, at_most=_LARGEST_PRICE)
OUTPUT_PRICE: Final = Setting("Price of a million tokens written", metavar="AMOUNT", at_least=0, at_most=_LARGEST_PRICE)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """One judge. With a `rubric` it grades single outputs, otherwise it compares two.

    `labels`: what it answers for the text shown first, the second, and a tie; without `ties` the first two. `scale`:
    the lowest and the highest grade. `prompt`: a file, relative to the one that these settings stand in. Prices are
    those of a million tokens, in the currency of the study. `parameters`: further ones of a request, as they are.

    Raises:
        UsageError: a value that cannot be; a key of the provider is never repeated in it.
    """

    model: str | None = setting(None, Setting("Model that is asked", default_words="the judge's name"))
    provider: ProviderName = setting(
        "openai",
        Setting(
            "Whose form of requests the server understands",
            choices={"openai": "chat completions, as many servers do", "anthropic": "messages"},
        ),
    )
    base_url: str | None = setting(
        None, Setting("Address of the server", metavar="URL", default_words="`OPENAI_BASE_URL`, or the provider's")
    )
    key_from: str | None = setting(
        None,
        Setting(
            "Environment variable that holds the API key",
            metavar="NAME",
            default_words="`OPENAI_API_KEY` or `ANTHROPIC_API_KEY`",
        ),
    )
    prompt: str | None = setting(None, Setting("File with the prompt", metavar="FILE", default_words="ours"))
    question: str | None = setting(
        None,
        Setting(
            "Question that the judge answers",
            metavar="TEXT",
            default_words='"Which text is better?", or "How good is the text?"',
        ),
    )
    criterion: str | None = setting(None, Setting("Criterion of its judgements", metavar="NAME"))
    rubric: str | None = setting(None, Setting("What each grade means; it then grades single outputs", metavar="TEXT"))
    scale: tuple[float, ...] = setting(
        (1.0, 5.0), Setting("Lowest and highest grade", at_least=0, at_most=_HIGHEST_GRADE)
    )
    orders: Orders = setting(
        "both",
        Setting(
            "Orders in which two texts are shown",
            choices={"both": "two calls per comparison", "one": "one call, the order drawn at random"},
        ),
    )
    ties: bool = setting(True, Setting("Whether the judge may answer that two texts are equally good", flags="--ties"))
    labels: tuple[str, ...] = setting(
        ("A", "B", "C"), Setting("Answers for the text shown first, the one shown second, and a tie")
    )
    structured: bool = setting(
        True, Setting("Ask the server for JSON that can hold nothing but an answer", flags="--structured")
    )
    logprobs: bool = setting(
        False, Setting("Ask for log-probabilities, and store the probability of each outcome", flags="--logprobs")
    )
    temperature: float = setting(0.0, Setting("Temperature of sampling", at_least=0, at_most=2))
    max_tokens: int = setting(
        FEWEST_TOKENS,
        Setting(
            "Most tokens of a reply, reasoning included; a reply that is cut off is asked for once more with twice as "
            "many",
            at_least=FEWEST_TOKENS,
            at_most=1_000_000,
        ),
    )
    input_price: float | None = setting(None, INPUT_PRICE)
    output_price: float | None = setting(None, OUTPUT_PRICE)
    batch_share: float = setting(0.5, Setting("Share of these prices that a batch costs", at_least=0, at_most=1))
    connections: int = setting(100, Setting("Most calls at the same time", at_least=1, at_most=1000))
    timeout: float = setting(300.0, Setting("Seconds that a call may take", at_least=1, at_most=3600))
    attempts: int = setting(6, Setting("Most attempts at a call that fails on the way", at_least=1, at_most=100))
    unlisted_after: float = setting(
        60.0,
        Setting(
            "Seconds after which a batch that the provider does not list was never submitted", at_least=1, at_most=3600
        ),
    )
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))  # nobody else's
        object.__setattr__(self, "labels", tuple(self.labels))
        object.__setattr__(self, "scale", tuple(self.scale))
        check_settings(self)
        for name in ("model", "question", "criterion", "rubric", "prompt"):
            if (text := getattr(self, name)) is not None and not text.strip():
                raise UsageError(f"{name} is blank: write something, or leave it out")
        self._check_place()
        self._check_menu()

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle, which does not know what a read-only mapping is."""
        values = {known.name: getattr(self, known.name) for known in fields(self)}
        return _remade, (values | {"parameters": dict(self.parameters)},)

    @property
    def grades(self) -> bool:
        """Whether it grades single outputs, in place of comparing two."""
        return self.rubric is not None

    def _check_place(self) -> None:
        """The server and the key. The value of `key_from` is never shown: somebody may have put the key there."""
        if self.base_url is not None:
            parts = urlsplit(self.base_url)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise UsageError("base_url must be an address such as http://localhost:8000/v1")
            if parts.username or parts.password or parts.query or parts.fragment:
                raise UsageError("base_url must hold no user, password or query: keys come from the environment")
        if self.key_from is not None and not _VARIABLE.fullmatch(self.key_from):
            raise UsageError(
                "key_from must be the name of an environment variable in capitals, such as MY_API_KEY, not the key"
            )
        if self.logprobs and self.provider == "anthropic":
            raise UsageError("logprobs = true, but Anthropic's Messages API gives no log-probabilities")
        if self.logprobs and self.grades:
            raise UsageError("logprobs = true is for a judge that compares; leave out logprobs, or the rubric")
        if taken := [name for name in self.parameters if name in _OURS or "key" in name or "header" in name]:
            raise UsageError(f"parameters has {taken[0]}, which is no parameter of one's own; leave it out")

    def _check_menu(self) -> None:
        needed = 3 if self.ties else 2
        if len(self.labels) < needed or len(self.labels) > 3 or len(set(self.labels)) < len(self.labels):
            raise UsageError(
                f"labels must be {needed} different words: for the first text, the second"
                + (", and a tie" if self.ties else "")
            )
        if not all(_LABEL.fullmatch(label) for label in self.labels):
            raise UsageError("labels must be words without blanks and square brackets, such as A, B and C")
        if len(self.scale) != 2 or any(end != int(end) for end in self.scale) or self.scale[0] >= self.scale[1]:
            raise UsageError("scale must be two whole numbers, the lower one first, such as [1, 5]")


def _remade(values: dict[str, Any]) -> JudgeSettings:
    return JudgeSettings(**values)

"""The provider of a judge, by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tiebreak.scoring.judges.judge import Judge
from tiebreak.scoring.judges.providers.anthropic import AnthropicProvider
from tiebreak.scoring.judges.providers.openai import OpenAIProvider
from tiebreak.scoring.judges.providers.provider import Provider
from tiebreak.settings.judge import ProviderName

_PROVIDERS: Final[dict[ProviderName, Callable[[Judge], Provider]]] = {
    "openai": OpenAIProvider,
    "anthropic": AnthropicProvider,
}


def provider_of(judge: Judge) -> Provider:
    """How a judge's model is asked."""
    return _PROVIDERS[judge.settings.provider](judge)

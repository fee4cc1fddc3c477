"""The batches of a provider."""

from __future__ import annotations

from tiebreak.errors import UsageError
from tiebreak.scoring.judges.batches.anthropic import AnthropicBatches
from tiebreak.scoring.judges.batches.openai import OpenAIBatches
from tiebreak.scoring.judges.batches.service import BatchService
from tiebreak.scoring.judges.providers.anthropic import AnthropicProvider
from tiebreak.scoring.judges.providers.openai import OpenAIProvider
from tiebreak.scoring.judges.providers.provider import Provider


def batches_of(provider: Provider) -> BatchService:
    """How a provider takes batches.

    Raises:
        UsageError: it takes none.
    """
    if isinstance(provider, OpenAIProvider):
        return OpenAIBatches(provider)
    if isinstance(provider, AnthropicProvider):
        return AnthropicBatches(provider)
    raise UsageError("this provider takes no batches: leave out --batch-api")

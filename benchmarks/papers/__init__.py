"""Reproductions of the experiments of the papers that tiebreak builds on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def in_bf16() -> torch.autocast:
    """Where an evaluator learns in bf16, as on a GPU, and is asked in it: in less time where the processor has it.

    Casts are not kept: they would be those of the weights of an earlier step.
    """
    import torch

    return torch.autocast("cpu", torch.bfloat16, cache_enabled=False)

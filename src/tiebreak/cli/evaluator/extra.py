"""The packages that evaluators need."""

from __future__ import annotations

import importlib.util

from tiebreak.errors import ExtraMissingError


def needs_torch() -> None:
    """Raise ExtraMissingError, with the command that installs them, where torch or transformers are not installed."""
    for package in ("torch", "transformers", "safetensors"):
        if importlib.util.find_spec(package) is None:
            raise ExtraMissingError("a comparative evaluator", package, "evaluator")

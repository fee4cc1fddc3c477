"""The formats that are known; each is a file beside this one."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.formats import (
    alpaca_eval,
    arena,
    arena_hard,
    argilla,
    chosen,
    comparia,
    deepeval,
    doccano,
    inspect_ai,
    label_studio,
    langfuse,
    lm_eval,
    mqm,
    mt_bench,
    mturk,
    openai_evals,
    pearmut,
    phoenix,
    potato,
    promptfoo,
    summeval,
    wmt,
)
from tiebreak.importers.formats.format import Format

FORMATS: Final[tuple[Format, ...]] = tuple(
    module.FORMAT
    for module in (
        alpaca_eval, arena_hard, mt_bench, arena, comparia, inspect_ai, promptfoo, deepeval, lm_eval, openai_evals, mqm,
        wmt, summeval, mturk, label_studio, argilla, pearmut, potato, doccano, langfuse, phoenix, chosen,
    )
)  # fmt: skip
"""In the order in which files are tried: the most particular shapes first."""

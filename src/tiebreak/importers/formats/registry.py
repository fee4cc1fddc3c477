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

FORMATS: Final[tuple[Format, ...]] = (
    alpaca_eval.FORMAT, arena_hard.FORMAT, mt_bench.FORMAT, arena.FORMAT, comparia.FORMAT, inspect_ai.FORMAT,
    promptfoo.FORMAT, deepeval.FORMAT, lm_eval.FORMAT, openai_evals.FORMAT, mqm.FORMAT, wmt.FORMAT, summeval.FORMAT,
    mturk.FORMAT, label_studio.FORMAT, argilla.FORMAT, pearmut.FORMAT, potato.FORMAT, doccano.FORMAT, langfuse.FORMAT,
    phoenix.FORMAT, chosen.FORMAT,
)  # fmt: skip
"""In the order in which files are tried: the most particular shapes first."""

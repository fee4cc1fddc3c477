"""`tiebreak evaluator probe`: small dialogues with an answer that nobody disputes."""

from __future__ import annotations

from dataclasses import asdict

from tiebreak.cli.options import EvaluatorArgument, JsonOption
from tiebreak.cli.plain_output import write_json


def probe_command(
    evaluator: EvaluatorArgument,
    as_json: JsonOption = False,
) -> None:
    """Ask an evaluator about 30 small dialogues: dull, repetitive, off-topic and swapped replies, and two valid ones.

    For evaluators of dialogue; one that was trained on other texts need not pass. Needs the extra evaluator.

    Example: tiebreak evaluator probe my-evaluator
    """
    from tiebreak.cli.evaluator.extra import needs_torch
    from tiebreak.cli.evaluator.show import show_probed

    needs_torch()
    from tiebreak.scoring.evaluator.probes import probe
    from tiebreak.scoring.evaluator.training.kept import load_evaluator

    found = probe(load_evaluator(evaluator))
    if as_json:
        write_json({"right": sum(one.is_right for one in found), "probes": [asdict(one) for one in found]})
    else:
        show_probed(found)

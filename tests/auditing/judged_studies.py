"""Small studies with judges, for the tests of audits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tests.small_studies import Row, answer, pair_votes, study_of

from tiebreak.auditing.audit import audit
from tiebreak.data.study import Study
from tiebreak.results.audits import AuditedSource, Dependence

WORDS = {"w": "a", "t": "tie", "l": "b", "-": None}


def judged(
    codes: str, judge: str = "gpt", left: str | None = None, pair: tuple[str, str] = ("ant", "bee")
) -> list[Row]:
    """One reply on each of the items i0, i1, ...: as in `pair_votes`, `-` unscored; `left`: the system shown there."""
    return [answer(f"i{k}", *pair, WORDS[code], left=left, judge=judge) for k, code in enumerate(codes) if code != " "]


def only_source(study: Study, **options: object) -> AuditedSource:
    """The result of the only source and criterion."""
    (found,) = audit(study, **options).results  # type: ignore[arg-type]
    return found


def check_of(found: AuditedSource, check: str, name: str | None = None) -> Dependence:
    """The one check of that kind and name."""
    (one,) = [of for of in found.dependence if of.check == check and of.name == name]
    return one


def simulated(
    items: int, seed: int, *, bias: float = 0.0, noise: float = 0.3, labelled: int | None = None, ties: float = 0.2
) -> Study:
    """ant and bee on many items: people say what is true, and the judge errs on the share `noise` of the items, where
    it says ant with the probability 1/2 + bias; the first `labelled` items have a label."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, p=[(1 - ties) * 0.6, ties, (1 - ties) * 0.4], size=items)
    guessed = np.where(rng.random(items) < 0.5 + bias, 0, 2)
    said = np.where(rng.random(items) < noise, guessed, truth)
    people = "".join("wtl"[code] for code in truth[:labelled])
    return study_of(pair_votes(people), judge_preferences=judged("".join("wtl"[code] for code in said)))


def outputs_of(texts: dict[str, Sequence[str]]) -> list[Row]:
    """One text per item i0, i1, ... of each system."""
    return [
        {"item": f"i{k}", "system": system, "text": text}
        for system, written in texts.items()
        for k, text in enumerate(written)
    ]

"""What made a judgement: all that it takes to ask again in the same way, and a short name for it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Final

from tiebreak.scoring.judges.fence import RULE
from tiebreak.scoring.judges.judge import Judge

_LENGTH: Final = 12


def meaning_of(judge: Judge, dropped: Collection[str]) -> dict[str, object]:
    """The whole prompt and all settings that an answer hangs on; `dropped`: parameters that the model has rejected.

    How many tokens a reply may have, and in how many orders texts are shown, is not among them: both say which replies
    there are, not what they say.
    """
    settings = judge.settings
    return {
        "kind": "judge",
        "name": judge.name,
        "provider": settings.provider,
        "base_url": judge.base_url,
        "model": judge.model,
        "system": judge.template.system,
        "fence": RULE,
        "user": judge.template.user,
        "words": judge.words,
        "answers": judge.menu.meanings,
        "settings": {
            "temperature": settings.temperature,
            "structured": settings.structured,
            "logprobs": settings.logprobs,
            **settings.parameters,
        },
        "dropped": sorted(dropped),
    }


def signature_of(meaning: Mapping[str, object]) -> str:
    """A short name of it: the judge, the model, and a hash of everything."""
    canonical = json.dumps(meaning, sort_keys=True, ensure_ascii=False)
    digest = hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{meaning['name']}|{meaning['model']}|{digest[:_LENGTH]}"


def alike(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Whether two meanings differ at most in what the model has rejected: the same judge, asked as far as it can be."""
    return {**one, "dropped": []} == {**other, "dropped": []}

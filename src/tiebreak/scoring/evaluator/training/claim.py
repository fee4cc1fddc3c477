"""Which training a folder belongs to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from tiebreak.errors import UsageError
from tiebreak.files import write_bytes, writing
from tiebreak.scoring.evaluator.training.settings import TrainSettings
from tiebreak.settings.setting import settings_of

CLAIM: Final = "training.json"


def claim(folder: Path, settings: TrainSettings, fingerprint: str) -> None:
    """The folder belongs to one training: the same settings and the same examples; to the new one where the other has
    left nothing yet.

    Raises:
        UsageError: it belongs to another, or has other files in it.
    """
    mine = settings.to_dict()
    path = folder / CLAIM
    if path.is_file() and any(place != path for place in folder.iterdir()):
        known = json.loads(path.read_text(encoding="utf-8"))
        changed = [name for name in mine if known["settings"].get(name) != mine[name]]
        if not changed and known["examples"] == fingerprint:
            return
        options = {one.name: one.option for one in settings_of(TrainSettings)}
        what = (
            f"another {options[changed[0]]}"
            if changed
            else "other texts, labels or checkpoints, or with the same in another order"
        )
        raise UsageError(f"{folder} holds a training with {what}; name another folder")
    if folder.is_file():
        raise UsageError(f"{folder} is a file; name a folder for the evaluator")
    if folder.exists() and any(place != path for place in folder.iterdir()):
        raise UsageError(f"{folder} is not empty; name another folder")
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    write_bytes(path, (json.dumps({"settings": mine, "examples": fingerprint}) + "\n").encode())

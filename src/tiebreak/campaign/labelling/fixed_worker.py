"""Fixed worker: one person labels all items of a pair (Thorleiksdóttir et al. 2022, "Fixed Worker")."""

from __future__ import annotations

from typing import ClassVar

from tiebreak.campaign.labelling.one_worker import OneWorker


class FixedWorker(OneWorker):
    """As one worker, but the first annotator of a pair keeps it. The verdict is about this person's taste.

    Somebody who is excluded is followed by the next who asks.
    """

    name: ClassVar[str] = "fixed"
    title: ClassVar[str] = "one person for all items of a pair"
    same_annotator: ClassVar[bool] = True

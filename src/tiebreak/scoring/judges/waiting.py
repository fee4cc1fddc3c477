"""How long to wait before a call is sent again."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Waiting:
    """`first` seconds, twice as many each time, at most `longest`. `most`: what a server may ask for; a call that is to
    wait longer is given up.
    """

    first: float = 0.5
    longest: float = 60.0
    most: float = 600.0

    def before(self, attempt: int, asked: float | None, rng: random.Random) -> float | None:
        """Seconds before the attempt after this one (1 is the first), a little at random so that calls do not all come
        back at once; at least what the server `asked` for. None: it asked for too long.
        """
        if asked is not None and asked > self.most:
            return None
        drawn = min(self.first * 2 ** min(attempt - 1, 30), self.longest) * rng.uniform(0.5, 1.0)
        return drawn if asked is None else max(asked * rng.uniform(1.0, 1.1), 0.0)

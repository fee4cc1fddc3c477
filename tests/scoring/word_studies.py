"""Studies of made-up texts, for the tests of `score`."""

from __future__ import annotations

import numpy as np

from tiebreak.data.study import Study


def study_of_words(outputs: int, seed: int = 0, **labels: object) -> Study:
    """So many outputs by two systems, ant and bee, each with a reference of which ant changes one word and bee
    three; no text twice.
    """
    rng = np.random.default_rng(seed)
    items, rows = [], []
    for k in range(-(-outputs // 2)):
        words = [f"w{number}" for number in rng.integers(0, 300, 8)] + [f"i{k}"]
        items.append({"item": f"i{k}", "input": f"say {words[0]}", "reference": " ".join(words)})
        for system, changed in (("ant", 1), ("bee", 3)):
            own = list(words)
            for place in rng.choice(8, changed, replace=False):
                own[place] = f"{system}{rng.integers(0, 300)}"
            rows.append({"item": f"i{k}", "system": system, "text": " ".join(own)})
    return Study.from_tables(items=items, outputs=rows[:outputs], **labels)  # type: ignore[arg-type]

"""Asks another package about studies. Run by the interpreter that has it: needs neither tiebreak nor its benchmarks.

Standard input: {"package": NAME, "studies": [{"scores": [[...], ...], "clusters": [...] or null, "range": [low, high]
or null}, ...]}, scores (systems, items), null where one is missing. Standard output: {"version": VERSION, "studies":
[{"pairs": [[difference, low, high, p], ...], "method": WORDS} or {"refused": WORDS}, ...]}, pairs in the order of
`itertools.combinations`; or {"absent": WORDS} where the package cannot be imported. No studies: only the version.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import itertools
import json
import sys
import warnings
from typing import Any


def by_evalstats(package: Any, study: dict[str, Any]) -> dict[str, Any]:
    """`compare` of a long table, all by default: its README's way. It has no clusters."""
    pandas = importlib.import_module("pandas")
    rows = [
        (f"s{system:03}", f"i{item}", value)
        for system, values in enumerate(study["scores"])
        for item, value in enumerate(values)
        if value is not None
    ]
    frame = pandas.DataFrame(rows, columns=["model", "item", "score"])
    more = {} if study["range"] is None else {"score_range": tuple(study["range"])}
    found = package.compare(package.load_from(frame), factors="model", **more)
    pairs = {
        (row["a"], row["b"]): [row["diff"], row["ci_low"], row["ci_high"], row["p_value"]]
        for row in found.to_frame()["pairwise"].to_dict("records")
    }
    said = found.methods()
    together = len(pairs) > 1
    method = f"interval: {said['pairwise_ci']['name']}"
    method += f" ({said['pairwise_ci']['simultaneous']['name']})" if together else ""
    method += f"; p: {said['p_values']['test']['name']}"
    method += f" ({said['p_values']['correction']['name']})" if together else ""
    names = [f"s{system:03}" for system in range(len(study["scores"]))]
    return {
        "pairs": [pairs[a, b] if (a, b) in pairs else turned(pairs[b, a]) for a, b in itertools.combinations(names, 2)],
        "method": method,
    }


def turned(pair: list[float]) -> list[float]:
    """The same pair the other way round."""
    difference, low, high, p = pair
    return [-difference, -high, -low, p]


def by_truescore(package: Any, study: dict[str, Any]) -> dict[str, Any]:
    """McNemar of pass and fail, else the paired bootstrap, of whole clusters where there are any: as its command line
    does; with Holm where there are several pairs.
    """
    pairs = []
    method = ""
    for a, b in itertools.combinations(study["scores"], 2):
        if study["clusters"] is not None:
            found = package.paired_bootstrap(a, b, clusters=study["clusters"])
        elif {*a, *b} <= {0.0, 1.0}:
            found = package.mcnemar([int(x) for x in a], [int(x) for x in b])
        else:
            found = package.paired_bootstrap(a, b)
        pairs.append([found.difference, found.low, found.high, found.p_value])
        method = found.method.split(", ")[0].rstrip(")") + (")" if "(" in found.method else "")
    if len(pairs) > 1:
        adjusted = package.holm([pair[3] for pair in pairs])
        pairs = [[*pair[:3], float(p)] for pair, p in zip(pairs, adjusted, strict=True)]
        method += "; p: Holm"
    return {"pairs": pairs, "method": method}


def by_evalica(package: Any, study: dict[str, Any]) -> dict[str, Any]:
    """The win rate of each pair by itself, with its bootstrap. It has intervals, no tests, and no clusters."""
    pairs = []
    for a, b in itertools.combinations(study["scores"], 2):
        winners = [
            package.Winner.X if x > y else package.Winner.Y if x < y else package.Winner.Draw
            for x, y in zip(a, b, strict=True)
        ]
        names = ["a"] * len(winners), ["b"] * len(winners)
        found = package.bootstrap(package.average_win_rate, *names, winners, random_state=0)
        rate, low, high = found.result.scores["a"], found.low["a"], found.high["a"]
        pairs.append([2 * rate - 1, 2 * low - 1, 2 * high - 1, p_of(low > 0.5 or high < 0.5)])
    return {"pairs": pairs, "method": "average win rate; BCa bootstrap"}


def by_ppi(package: Any, study: dict[str, Any]) -> dict[str, Any]:
    """Its classical interval of the mean difference: there are no predictions to use. It has no clusters."""
    numpy = importlib.import_module("numpy")
    pairs = []
    for a, b in itertools.combinations(study["scores"], 2):
        differences = numpy.subtract(a, b)
        low, high = (float(end) for end in numpy.ravel(package.classical_mean_ci(differences, alpha=0.05)))
        pairs.append([float(differences.mean()), low, high, p_of(low > 0 or high < 0)])
    return {"pairs": pairs, "method": "classical interval"}


def p_of(decided: bool) -> float:
    """For packages that give an interval and no p-value: the test is whether the interval has 0 in it."""
    return 0.0 if decided else 1.0


ASKED = {
    "evalstats": (by_evalstats, "evalstats"),
    "truescore": (by_truescore, "truescore"),
    "evalica": (by_evalica, "evalica"),
    "ppi-python": (by_ppi, "ppi_py"),
}
"""How each is asked, and the name of its module."""


def answer(task: dict[str, Any]) -> dict[str, Any]:
    name = task["package"]
    ask, module = ASKED[name]
    try:
        package = importlib.import_module(module)
    except ImportError as problem:
        return {"absent": str(problem)}
    studies = []
    for study in task["studies"]:
        try:
            studies.append(ask(package, study))
        except ValueError as problem:
            studies.append({"refused": type(problem).__name__})
    return {"version": importlib.metadata.version(name), "studies": studies}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    json.dump(answer(json.load(sys.stdin)), sys.stdout)

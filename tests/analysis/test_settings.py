from __future__ import annotations

import json

import pytest

from tiebreak.analysis.settings import CompareSettings, check_known
from tiebreak.decisions.methods import METHODS
from tiebreak.errors import UsageError


def test_the_defaults_are_the_anytime_method_at_five_percent() -> None:
    settings = CompareSettings()
    assert (settings.method, settings.alpha, settings.margin, settings.multiplicity) == ("anytime", 0.05, None, "holm")
    assert (settings.target, settings.labels, settings.tie_threshold, settings.seed) == ("inputs", "mean", 0.0, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "signs"}, "no method 'signs': did you mean sign"),
        ({"method": "t-test"}, "no method 't-test'; choose from anytime, sign, hoeffding, dirichlet.*"),
        ({"target": "item"}, "no target 'item': did you mean items"),
        ({"labels": "average"}, "no labels 'average'; choose from mean, majority, first"),
        ({"multiplicity": "bonferoni"}, "did you mean bonferroni"),
        ({"alpha": 0.0}, r"alpha is 0\.0, but must be above 0 and below 1"),
        ({"alpha": 5}, "alpha is 5, but"),
        ({"alpha": float("nan")}, "alpha is nan"),
        ({"margin": 0.0}, r"margin is 0\.0"),
        ({"margin": 1.0}, r"margin is 1\.0"),
        ({"margin": 0.1, "method": "sign"}, "a margin needs --method anytime"),
        ({"tie_threshold": -0.5}, r"tie-threshold is -0\.5"),
        ({"tie_threshold": float("inf")}, "tie-threshold is inf"),
        ({"tie_threshold": float("nan")}, "tie-threshold is nan"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_impossible_settings_say_what_is_possible(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        CompareSettings(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", [name for name in METHODS if name != "posterior"])
def test_every_listed_method_is_a_setting(method: str) -> None:
    assert CompareSettings(method=method).to_dict()["method"] == method


def test_settings_survive_json() -> None:
    settings = CompareSettings(criteria=("x", "y"), annotators=("expert_*",), systems=("a", "b"), margin=0.1)
    document = json.loads(json.dumps(settings.to_dict()))
    again = CompareSettings(**{k: tuple(v) if isinstance(v, list) else v for k, v in document.items()})
    assert again == settings


def test_unknown_names_come_with_the_nearest_or_with_what_there_is() -> None:
    check_known("system", ["b"], ["a", "b"])
    with pytest.raises(UsageError, match=r"no system 'gpt4': did you mean gpt-4\?"):
        check_known("system", ["gpt4"], ["llama", "gpt-4"])
    with pytest.raises(UsageError, match=r"no system 'q'; the study has s0, s1, s2, s3, s4, s5, s6, s7, \.\.\.$"):
        check_known("system", ["q"], [f"s{k}" for k in range(9)])
    with pytest.raises(UsageError, match="no criterion 'q'; the study has none"):
        check_known("criterion", ["q"], [])

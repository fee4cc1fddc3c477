from __future__ import annotations

import json

import pytest

from tiebreak.errors import UsageError
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.methods import METHODS


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
        ({"metric_tie_threshold": -1.0}, r"metric-tie-threshold is -1\.0, but must be a number >= 0"),
        ({"metric_tie_threshold": float("nan")}, "metric-tie-threshold is nan"),
        ({"method": "posterior"}, "--method posterior needs a metric or judge: --metric NAME, --metric all or --judge"),
        ({"method": "sign", "metrics": ("bleu",)}, "--method sign uses human labels only; .* anytime, posterior"),
        ({"method": "dirichlet", "judges": ("gpt",)}, "--method dirichlet uses human labels only"),
        ({"method": "hoeffding", "metrics": ("all",)}, "--method hoeffding uses human labels only"),
        ({"human": False}, "--no-human shows what a metric alone would say: it needs --method sign and --metric or"),
        ({"human": False, "method": "sign"}, "--no-human .* needs --method sign and --metric or --judge"),
        ({"human": False, "metrics": ("bleu",)}, "--no-human .* needs --method sign"),
        ({"human": False, "method": "posterior", "metrics": ("bleu",)}, "--no-human .* needs --method sign"),
        ({"margin": 0.1, "method": "posterior", "metrics": ("bleu",)}, "a margin needs --method anytime"),
    ],
)
def test_impossible_settings_say_what_is_possible(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        CompareSettings(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", METHODS)
def test_every_listed_method_is_a_setting(method: str) -> None:
    metrics = ("bleu",) if METHODS[method].needs_metric else ()
    assert CompareSettings(method=method, metrics=metrics).to_dict()["method"] == method


@pytest.mark.parametrize("automatic", [{"metrics": ("bleu",)}, {"judges": ("gpt",)}, {"metrics": ("all",)}])
@pytest.mark.parametrize("options", [{}, {"method": "posterior"}, {"method": "sign", "human": False}])
def test_metrics_and_judges_are_taken_where_they_can_be_used(
    automatic: dict[str, object], options: dict[str, object]
) -> None:
    document = CompareSettings(**automatic, **options).to_dict()  # type: ignore[arg-type]
    assert {name: tuple(document[name]) for name in automatic} == automatic  # type: ignore[arg-type]
    assert document["human"] is options.get("human", True)


def test_settings_survive_json() -> None:
    settings = CompareSettings(criteria=("x", "y"), annotators=("expert_*",), systems=("a", "b"), margin=0.1)
    document = json.loads(json.dumps(settings.to_dict()))
    again = CompareSettings(**{k: tuple(v) if isinstance(v, list) else v for k, v in document.items()})
    assert again == settings

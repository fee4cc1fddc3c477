from __future__ import annotations

import json

import pytest

from tiebreak.errors import UsageError
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.registry import RULES, pair_rules


def test_the_defaults_are_one_look_at_five_percent() -> None:
    settings = CompareSettings()
    assert (settings.rule, settings.alpha, settings.margin, settings.multiplicity) == ("fixed", 0.05, None, "holm")
    assert (settings.target, settings.several, settings.tie_threshold, settings.seed) == ("inputs", "mean", 0.0, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "fixe"}, "rule is 'fixe', but must be one of .*: did you mean fixed"),
        ({"rule": "t-test"}, "rule is 't-test', but must be one of fixed, anytime, hoeffding, dirichlet, posterior$"),
        ({"target": "item"}, "target is 'item', .*: did you mean items"),
        ({"several": "average"}, "several is 'average', but must be one of mean, majority, first"),
        ({"multiplicity": "bonferoni"}, "did you mean bonferroni"),
        ({"alpha": 0.0}, r"alpha is 0\.0, but must be above 0 and below 1"),
        ({"alpha": 5}, "alpha is 5, but"),
        ({"alpha": float("nan")}, "alpha is nan"),
        ({"alpha": 0.5, "margin": 0.1}, r"alpha is 0\.5, but must be below 0\.5 with a margin"),
        ({"alpha": 0.9, "multiplicity": "fdr"}, r"must be below 0\.5 with a margin or a false discovery rate"),
        ({"margin": 0.0}, r"margin is 0\.0"),
        ({"margin": 1.0}, r"margin is 1, but must be above 0 and below 1"),
        ({"compare": "means", "tie_threshold": 1.0}, "--tie-threshold cannot be given with --compare means"),
        ({"compare": "means", "rule": "anytime"}, "--rule cannot be given with --compare means"),
        ({"margin": 0.1, "rule": "hoeffding"}, "a margin needs --rule fixed or anytime"),
        ({"tie_threshold": -0.5}, r"tie-threshold is -0\.5"),
        ({"tie_threshold": float("inf")}, "tie-threshold is inf"),
        ({"tie_threshold": float("nan")}, "tie-threshold is nan"),
        ({"seed": -1}, "seed is -1"),
        ({"metric_tie_threshold": -1.0}, r"metric-tie-threshold is -1\.0, but must be from 0 to 1e\+100"),
        ({"metric_tie_threshold": float("nan")}, "metric-tie-threshold is nan"),
        ({"rule": "posterior"}, "--rule posterior needs a metric or judge: --metric NAME, --metric all or --judge"),
        ({"rule": "dirichlet", "judges": ("gpt",)}, "--rule dirichlet uses human labels only"),
        ({"rule": "hoeffding", "metrics": ("all",)}, "--rule hoeffding uses human labels only"),
        (
            {"human": False},
            "--no-human shows what a metric alone would say: it needs --metric or --judge, and --rule fixed",
        ),
        ({"human": False, "rule": "fixed"}, "--no-human .* needs --metric or --judge"),
        ({"human": False, "rule": "anytime", "metrics": ("bleu",)}, "--no-human .* and --rule fixed"),
        ({"human": False, "rule": "posterior", "metrics": ("bleu",)}, "--no-human .* and --rule fixed"),
        ({"margin": 0.1, "rule": "posterior", "metrics": ("bleu",)}, "a margin needs --rule fixed or anytime"),
    ],
)
def test_impossible_settings_say_what_is_possible(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        CompareSettings(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", pair_rules())
def test_every_listed_method_is_a_setting(method: str) -> None:
    metrics = ("bleu",) if RULES[method].needs_metric else ()
    assert CompareSettings(rule=method, metrics=metrics).to_dict()["rule"] == method


@pytest.mark.parametrize("automatic", [{"metrics": ("bleu",)}, {"judges": ("gpt",)}, {"metrics": ("all",)}])
@pytest.mark.parametrize("options", [{}, {"rule": "anytime"}, {"rule": "posterior"}, {"human": False}])
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


def test_one_name_is_no_list_of_letters() -> None:
    assert CompareSettings(annotators="expert_*", metrics="bleu").to_dict()["annotators"] == ["expert_*"]  # type: ignore[arg-type]
    assert CompareSettings(metrics="bleu").metrics == ("bleu",)  # type: ignore[arg-type]

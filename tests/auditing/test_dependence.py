"""What errors go with: derived by hand, found where it is, quiet where it is not; features and families."""

from __future__ import annotations

import numpy as np
import pytest
from tests.auditing.judged_studies import check_of, judged, only_source, outputs_of
from tests.small_studies import pair_votes, study_of

from tiebreak.auditing.dependence import family_of, features, same_family
from tiebreak.data.study import Study
from tiebreak.evidence.items import ItemIndex

# ---- dependence --------------------------------------------------------------------------------------------------


def test_length_by_hand() -> None:
    # ant is longer on the first eight items, bee on the next four; the last two are equally long.
    ant, bee = ["a b c"] * 8 + ["a"] * 4 + ["a b"] * 2, ["a"] * 8 + ["a b c"] * 4 + ["b a"] * 2
    people, judge = "wwwwllllwwllwl", "wwwwwwllwllltt"
    study = study_of(pair_votes(people), judge_preferences=judged(judge), outputs=outputs_of({"ant": ant, "bee": bee}))
    found = check_of(only_source(study), "length")
    # The longer wins, by people: 4 of 8 and 2 of 4; by the judge: 6 of 8 and 3 of 4.
    assert (found.by_source, found.by_people) == pytest.approx((9 / 12, 6 / 12))
    assert found.effect.value == pytest.approx(3 / 12)
    assert found.effect.comparisons == 12
    assert check_of(only_source(study), "lists").why == "no comparison of outputs that differ in it"


def test_the_side_shown_by_hand() -> None:
    # Shown both ways on twelve items: six times it takes the left one, four times ant, twice it calls a tie.
    both = judged("wwwwwwwwwwtt", left="ant") + judged("llllllwwwwtt", left="bee")
    study = study_of(pair_votes("w" * 3), judge_preferences=both)
    found = check_of(only_source(study), "side")
    # Left wins 6 + 6 of the first six items' replies, 4 of the next eight, and half of the four ties.
    assert found.by_source == pytest.approx((12 + 4 + 2) / 24)
    assert found.by_people == pytest.approx(0.5)
    # One order only. With ant on the left it says ant 4, tie 1, bee 1 (mean .5), with bee there 2, 2, 2 (mean 0):
    # without a preference for a side .25 for ant, and a half of what is on the left.
    one_order = [row | {"left": "ant" if k < 6 else "bee"} for k, row in enumerate(judged("wwwwtl" + "wwttll"))]
    found = check_of(only_source(study_of(pair_votes("w", "cat", "dog"), judge_preferences=one_order)), "side")
    assert (found.by_source, found.by_people) == pytest.approx((7.5 / 12, 6 / 12))


def sided(rng: np.random.Generator, verdicts: int, bias: float, pairs: int = 3) -> Study:
    """A judge that likes the systems of each pair unequally, asked in one order by chance; people say nothing."""
    rows = []
    for number in range(pairs):
        lean = rng.uniform(-0.4, 0.4)
        for k in range(verdicts // pairs):
            left = rng.random() < 0.5
            ant = 0.5 + lean / 2 + (bias if left else -bias)
            code = "t" if rng.random() < 0.1 else "w" if rng.random() < ant else "l"
            names = (f"ant{number}", f"bee{number}")
            rows += [row | {"item": f"i{k}"} for row in judged(code, left=names[not left], pair=names)]
    return study_of(pair_votes("w", "cat", "dog"), judge_preferences=rows)


def shown(study: Study) -> bool:
    return bool(check_of(only_source(study), "side").shown)


def test_a_preference_for_a_side_is_found_without_people_and_in_one_order() -> None:
    rng = np.random.default_rng(6)
    assert sum(shown(sided(rng, 600, 0.08)) for _ in range(20)) >= 18


def test_a_side_is_hardly_ever_blamed_by_chance() -> None:
    """At 5% of 400 audits 20 are expected; twice the level would be 40."""
    rng = np.random.default_rng(7)
    assert sum(shown(sided(rng, 60, 0.0)) for _ in range(400)) <= 33


def test_a_side_that_belongs_to_one_system_is_not_checked() -> None:
    """ant always stood on the left, in one order: who favours ant looks like who favours the left."""
    study = study_of(pair_votes("wl" * 20), judge_preferences=judged("w" * 40, left="ant"))
    found = only_source(study)
    assert check_of(found, "side").why
    assert check_of(found, "system", "ant").shown


def test_without_outputs_or_sides_it_says_so() -> None:
    found = only_source(study_of(pair_votes("w" * 20), judge_preferences=judged("wl" * 10)))
    assert check_of(found, "length").why
    assert check_of(found, "side").why
    assert check_of(found, "system", "ant").shown is not None
    few = only_source(study_of(pair_votes("w" * 9), judge_preferences=judged("wl" * 4)))
    assert check_of(few, "system", "ant").why


def test_of_two_systems_its_own_family_is_the_one_named() -> None:
    pair = ("claude-3", "gpt-4")
    study = study_of(pair_votes("wl" * 10, *pair), judge_preferences=judged("ll" * 10, judge="gpt-4o-mini", pair=pair))
    (system,) = [of for of in only_source(study).dependence if of.check == "system"]
    assert (system.name, system.family) == ("gpt-4", "GPT")
    assert system.effect.value == pytest.approx(0.5)
    assert system.shown


def test_groups_by_hand() -> None:
    groups = [{"item": f"i{k}", "domain": "law" if k < 12 else "news", "kept": k} for k in range(36)]
    people, judge = "w" * 36, "w" * 3 + "l" * 9 + "w" * 23 + "l"
    study = study_of(pair_votes(people), judge_preferences=judged(judge), items=groups)
    found = check_of(only_source(study, group="domain"), "group", "law")
    assert (found.inside, found.elsewhere) == pytest.approx((3 / 12, 23 / 24))
    assert found.effect.value == pytest.approx(3 / 12 - 23 / 24)
    assert found.shown
    assert not [of for of in only_source(study).dependence if of.check == "group"]


def test_items_without_a_group_are_left_out() -> None:
    items = [{"item": f"i{k}", "domain": ("law", "news", None)[k % 3]} for k in range(60)]
    judge = "".join("wwl"[k % 3] for k in range(60))
    study = study_of(pair_votes("w" * 60), judge_preferences=judged(judge), items=items)
    groups = [of for of in only_source(study, group="domain").dependence if of.check == "group"]
    assert [(of.name, of.inside, of.elsewhere) for of in groups] == [("law", 1, 1), ("news", 1, 1)]


def biased(seed: int, favour: float) -> Study:
    """150 items; texts of either length, and a judge that takes the longer one in the share `favour` of its errors."""
    rng = np.random.default_rng(seed)
    longer = rng.random(150) < 0.5
    truth = rng.random(150) < 0.5
    guessed = np.where(rng.random(150) < favour, longer, ~longer)
    said = np.where(rng.random(150) < 0.5, truth, guessed)
    texts = {"ant": ["a b c" if of else "a" for of in longer], "bee": ["a" if of else "a b c" for of in longer]}
    return study_of(
        pair_votes("".join("lw"[int(of)] for of in truth)),
        judge_preferences=judged("".join("lw"[int(of)] for of in said)),
        outputs=outputs_of(texts),
    )


@pytest.mark.full
def test_what_is_there_is_found_and_what_is_not_is_not() -> None:
    """With no preference for length any of the two checks of an audit may err in 5% of all audits: of 300 at most 29
    do (with a true rate of .05 more do in 1 of 1,000 tests; with .10 at least 30 do in 6 of 10)."""
    wrong = found = would = 0
    for seed in range(300):
        checks = only_source(biased(seed, 0.5)).dependence
        assert sum(of.shown is not None for of in checks) == 2  # length and system
        wrong += any(of.shown for of in checks)
        length = next(of for of in checks if of.check == "length")
        would += length.would_show is not None and length.would_show < 0.2
        if seed < 60:
            found += bool(next(of for of in only_source(biased(seed, 0.9)).dependence if of.check == "length").shown)
    assert wrong <= 29
    assert would == 300
    assert found >= 50  # half of the items are errors, .8 of which favour the longer: an effect of .2 in win rates


def test_an_effect_that_would_show_shows_in_four_of_five_studies() -> None:
    """An effect of the size that is named is found in about 80%: in 65% to 95% of 100 studies."""
    size = np.median([only_source(biased(seed, 0.5)).dependence[1].would_show or np.nan for seed in range(20)])
    favour = 0.5 + 2 * size  # on half of the items, of which the other half goes as people say
    shown = sum(bool(only_source(biased(1000 + seed, favour)).dependence[1].shown) for seed in range(100))
    assert 65 <= shown <= 95


def test_a_small_group_without_an_error_shows_nothing() -> None:
    """Ten of ten, beside 80% of 200, is what chance makes of 80% in one of ten groups."""
    judge = "w" * 10 + "wwwwl" * 40
    groups = [{"item": f"i{k}", "domain": "few" if k < 10 else "many"} for k in range(210)]
    study = study_of(pair_votes("w" * 210), judge_preferences=judged(judge), items=groups)
    found = check_of(only_source(study, group="domain"), "group", "few")
    assert (found.inside, found.elsewhere) == pytest.approx((1, 0.8))
    assert found.shown is False


@pytest.mark.full
def test_groups_are_called_different_as_seldom_as_they_say() -> None:
    """Four groups of 12 to 60 items in which the judge agrees on 85%: of 400 audits at most 30 name one (with a true
    rate of .05 more do in 2 of 100 tests, with .10 in all but 3 of 100)."""
    sizes = (12, 20, 40, 60)
    domains = [name for name, size in zip("abcd", sizes, strict=True) for _ in range(size)]
    items = [{"item": f"i{k}", "domain": name} for k, name in enumerate(domains)]
    rng, wrong = np.random.default_rng(4), 0
    for _ in range(400):
        judge = "".join("lw"[int(right)] for right in rng.random(len(domains)) < 0.85)
        study = study_of(pair_votes("w" * len(domains)), judge_preferences=judged(judge), items=items)
        wrong += any(of.shown for of in only_source(study, group="domain").dependence if of.check == "group")
    assert wrong <= 30


def test_groups_that_are_clusters_have_items_as_units() -> None:
    items = [{"item": f"i{k}", "cluster": f"c{k % 3}"} for k in range(60)]
    judge = "".join("lww"[k % 3] for k in range(60))
    study = study_of(pair_votes("w" * 60), judge_preferences=judged(judge), items=items)
    found = check_of(only_source(study), "group", "c0")  # without --group, since there are few clusters
    assert found.shown
    assert found.effect.value == pytest.approx(-1)


# ---- features ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "length", "lists", "headings", "bold"),
    [
        ("", 0, 0, 0, 0),
        ("one two\n three\u00a0four", 4, 0, 0, 0),
        ("- a\n* b\n  + c\n1. d\n2) e\n-f\n3.14 is no item", 15, 5, 0, 0),
        ("# One\n## Two\n#hashtag\ntext # not", 8, 0, 2, 0),
        ("**bold** and **more of it** but 2 ** 3 ** 4, __init__ too", 13, 0, 0, 3),
    ],
)
def test_counts(text: str, length: int, lists: int, headings: int, bold: int) -> None:
    study = study_of(outputs=outputs_of({"ant": [text]}))
    found = features(study, ItemIndex.of(study))
    assert [int(counts[0, 0]) for counts in found.values()] == [length, lists, headings, bold]


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("gpt-4o", "GPT"),
        ("GPT 3.5 Turbo (16k)", "GPT"),
        ("gpt35-0301-h2h", "GPT"),
        ("o3-mini", "GPT"),
        ("claude-v1", "Claude"),
        ("LLaMA-2-Chat (70B)", "Llama"),
        ("Mixtral-8x7B", "Mistral"),
        ("phi-3", "Phi"),
        ("Sophia", None),
        ("human", None),
        ("foo3", None),
        ("gpt-4 or claude", None),
    ],
)
def test_families(name: str, family: str | None) -> None:
    assert family_of(name) == family


def test_two_names() -> None:
    assert same_family("gpt-4", "GPT 3.5") == "GPT"
    assert same_family("gpt-4", "claude") is None
    assert same_family("our-model", "Our-Model") == "Our-Model"
    assert same_family("our-model", "other-model") is None

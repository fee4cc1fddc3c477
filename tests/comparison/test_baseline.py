"""With a baseline, all that is said of labels is about those that say something of it."""

from __future__ import annotations

from tests.small_studies import rating, study_of, vote

from tiebreak.comparison.compare import compare
from tiebreak.comparison.left_out import with_baseline


def test_people_labels_and_agreement_of_other_pairs_are_left_out() -> None:
    both = [vote(f"i{k}", "ant", "bee", who, ("a", "b")[k % 2]) for k in range(30) for who in ("ann", "bob")]
    others = [vote(f"i{k}", "bee", "cat", who, answer) for k in range(30) for who, answer in (("cy", "a"), ("di", "b"))]
    study = study_of(both + others)
    (found,) = compare(study, baseline="ant").results
    assert (found.annotators, found.labels) == (("ann", "bob"), 60)
    assert [(person.annotator, person.labels) for person in found.people] == [("ann", 30), ("bob", 30)]
    (agreement,) = found.agreement
    assert agreement.agreeing is not None
    assert (agreement.agreeing.estimate, agreement.agreeing.n_labels) == (1.0, 60)
    (warning,) = [of for of in compare(study, baseline="ant").warnings if of.code == "few-annotators"]
    assert warning.details["labels"] == 60


def test_ratings_beside_which_the_baseline_was_rated() -> None:
    rows = [
        *(rating(f"i{k}", system, "ann", k % 3) for k in range(20) for system in ("ant", "bee", "cat")),
        *(rating(f"i{k}", system, "bob", k % 3) for k in range(20) for system in ("bee", "cat")),
    ]
    study = study_of(ratings=rows)
    for raters, kept in (("same", 60), ("any", 100)):
        frame = with_baseline(study, "ant", raters).ratings  # type: ignore[arg-type]
        assert frame is not None
        assert frame.height == kept
    assert with_baseline(study, None, "same") is study
    (found,) = compare(study, baseline="ant").results
    assert (found.annotators, found.labels) == (("ann",), 60)

"""Every notice: its code, what it looks for, and what to do about it; docs/warnings.md is made from this.

`python benchmarks/warning_page.py --write` writes the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tiebreak.checks.all_checks import ABOUT_LABELS, ABOUT_PEOPLE
from tiebreak.checks.kinds import NoticeKind, Theme


def _theme(title: str, raised_by: str, rows: Iterable[tuple[str, str, str]]) -> Theme:
    return Theme(title, raised_by, tuple(NoticeKind(*row) for row in rows))


_OF_DATA: Final = "compare, report, check, rank, campaign status"
_REPORT_PAIRS: Final = "report the pairs that it names"
_WHOLE_EXPORT: Final = "compare the campaign, or a whole export"

CATALOGUE: Final[tuple[Theme, ...]] = (
    Theme(
        "People",
        _OF_DATA,
        (
            *ABOUT_PEOPLE,
            NoticeKind(
                "people-left-out", "`--exclude` left people out", "report both results, and which verdicts change"
            ),
        ),
    ),
    Theme(
        "Labels and outputs",
        _OF_DATA,
        (
            *ABOUT_LABELS,
            NoticeKind(
                "contradiction",
                "the evidence on a pair rules out every difference",
                "stop and find the cause: missing clusters, copied labels, changed outputs, an order by content",
            ),
            NoticeKind(
                "unvalidated", "people labelled nothing of what a metric or judge judged", "label some, and audit"
            ),
        ),
    ),
    _theme(
        "Files",
        "every command that reads a study",
        (
            ("labels-without-output", "labels or scores are about outputs that are not there", "add the outputs"),
            ("labels-without-sample", "rows name a sample that the outputs lack", "name the right sample"),
            ("labels-without-passage", "spans are about passages that are not there", "add the passages"),
            ("system-in-one-table", "only one table knows a system", "check the spelling"),
            (
                "similar-names",
                "names differ only in case, blanks or invisible characters; they are kept apart",
                "write them alike if they are the same",
            ),
            ("repeated-rows", "rows repeat others; copies count once", "see that no file was merged twice"),
            ("mixed-column", "an unknown column holds values of several types", "make them one type"),
            ("unread-file", "a file is named nearly like a table, and is not read", "rename it"),
            ("unparsed-judge-replies", "judge preferences have no outcome; they are counted", "ask the judge again"),
            ("criterion-without-labels", "study.toml names a criterion without labels", "check the spelling"),
            ("unknown-system-setting", "study.toml describes a system that no table has", "check the spelling"),
            ("unknown-metric-setting", "study.toml describes a metric without scores", "check the spelling"),
            ("scale-of-derived", "study.toml gives a scale for a derived criterion", "remove the scale"),
            ("derived-criteria", "criteria were derived from edits or spans", "nothing: it says from how many"),
            (
                "derived-criterion-given",
                "people's ratings contradict their edits or spans; the ratings count",
                "see which of them is right",
            ),
            ("edits-without-outputs", "the outputs that were edited are not there", "add the outputs"),
            ("empty-edits", "edits are empty: all of the output was deleted", "see whether that is meant"),
            ("unedited-outputs", "people rated outputs without editing them", "read means as those of edited outputs"),
            ("passages-not-judged", "not all passages of an answer were judged", "have the others judged"),
            ("not-yes-or-no", "ratings of `sensible` or `plausible` are not 0 and 1", "write 0 or 1"),
            (
                "learned-from",
                "answers are left out on items that the answering model learned from",
                "train it with folds, or on other items",
            ),
            ("extra-missing", "study.toml lists HTER, and sacrebleu is not installed", "install `tiebreak[metrics]`"),
        ),
    ),
    _theme(
        "Campaigns and watched studies",
        "campaign status, watch, and compare, report and plot of their results",
        (
            ("log-repaired", "a log that had lost lines was continued", "ask for a copy from before"),
            ("clock-backwards", "a time lies before an earlier one", "set the clocks; verdicts do not depend on them"),
            ("pairs-left-out", "nobody can be asked about a pair", "run the missing system on the same items"),
            ("items-withdrawn", "items were withdrawn", "report it with the verdict"),
            (
                "own-analysis",
                "`--own-analysis` of labels whose number was chosen by looking",
                "report the verdict without it",
            ),
            (
                "another-question",
                "the own analysis asks another question than the campaign",
                "give the options that it names",
            ),
            ("number-looked-at", "an audit of labels whose number was chosen by looking", "take it as a pilot"),
            ("late-labels", "an export without its campaign has labels from after the end", _WHOLE_EXPORT),
            ("withdrawn-labels", "an export without its campaign has withdrawn labels", _WHOLE_EXPORT),
            ("set-aside-labels", "an export without its campaign has labels that were set aside", _WHOLE_EXPORT),
            ("labels-vanished", "labels that a look saw are gone; they stay evidence", "find out who removed them"),
            (
                "labels-changed",
                "labels that a look saw have changed; the first value stays",
                "find out who changed them",
            ),
            (
                "labels-waiting",
                "at the first look many labels wait for others on their item",
                "have these items labelled to the end",
            ),
            (
                "items-regrouped",
                "items are in another cluster or batch than before",
                "name clusters and batches before the first look",
            ),
            ("outputs-changed", "outputs that a look saw have another text", "begin another study for new texts"),
            ("pairs-untested", "pairs joined, and no alpha is left for them", "watch them in another study"),
        ),
    ),
    _theme(
        "Judges",
        "score",
        (
            (
                "grades-tie",
                "a judge gives the same grade to more than 30% of the pairs of outputs",
                "let it compare two outputs, or give it a finer scale",
            ),
        ),
    ),
    _theme(
        "Leaderboards",
        "rank, under `notes`",
        (
            ("mixed-sources", "ratings rest on several sources", "report the weights"),
            ("sources-disagree", "two sources rate a system differently", "do not mix them"),
            ("judges-alone", "no person's label is among the sources", "audit the judges"),
            ("separate-groups", "no comparison connects some systems with others", "compare systems of both groups"),
            (
                "open-ratings",
                "the comparisons set no limit to a rating, above or below",
                "compare it with more systems",
            ),
            ("one-item", "all comparisons of a group are on one item or cluster", "label other items"),
            ("side-unknown", "the labels cannot tell the advantage of the left", "show both orders equally often"),
            ("not-one-scale", "one scale does not fit the comparisons", _REPORT_PAIRS),
            ("rating-against-verdict", "a better system by its verdict has the lower rating", "trust the verdict"),
            (
                "place-without-verdict",
                "the ratings alone give a place of its own to a system, and a pair of it has no verdict",
                "report the range of places",
            ),
            ("circle", "verdicts go in a circle", _REPORT_PAIRS),
            ("not-converged", "the Glicko-2 tournament ended at `--max-games`", "report no order by it"),
            ("systems-without-games", "a system is in no comparison that counts", "have it labelled"),
        ),
    ),
)
"""Every kind of notice that the source raises, by theme (a test compares both)."""

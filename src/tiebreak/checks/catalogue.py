"""Every notice: its code, what it looks for, and what to do about it; docs/warnings.md is made from this.

Thresholds stand in `thresholds.py`. `python benchmarks/warning_page.py --write` writes the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Entry:
    """A kind of notice: `seen` completes "raised when", `todo` is an imperative."""

    code: str
    seen: str
    todo: str


@dataclass(frozen=True)
class Theme:
    """Notices about one thing, and the commands that raise them."""

    title: str
    raised_by: str
    entries: tuple[Entry, ...]


def _theme(title: str, raised_by: str, rows: Iterable[tuple[str, str, str]]) -> Theme:
    return Theme(title, raised_by, tuple(Entry(*row) for row in rows))


_LOOK_AT_THEM: Final = "look at their labels; compare with `--exclude`"
_REPORT_PAIRS: Final = "report the pairs that it names"
_WHOLE_EXPORT: Final = "compare the campaign, or a whole export"

CATALOGUE: Final[tuple[Theme, ...]] = (
    _theme(
        "People",
        "compare, report, doctor, rank, campaign status",
        (
            ("annotators-at-chance", "an annotator agrees with the others no better than chance", _LOOK_AT_THEM),
            ("annotators-in-a-hurry", "an annotator is far faster than the median annotator", _LOOK_AT_THEM),
            ("constant-annotators", "an annotator always gives the same answer, or picks the same side", _LOOK_AT_THEM),
            ("few-annotators", "one or a few people gave most labels", "spread further labels over more people"),
            (
                "different-raters",
                "different people rated the two outputs of an item; such ratings are left out",
                "let one person rate all outputs of an item; use `--raters any` only if chance decided who rated which",
            ),
            ("one-sided-positions", "one system stood on the left too often", "show both orders equally often"),
            (
                "position-bias",
                "one side of the screen wins too often",
                "balance positions",
            ),
            ("one-person-first", "with `--several first`, one person decides too many items", "use `--several mean`"),
            (
                "first-labels-differ",
                "with `--several first`, first labels differ from later ones",
                "use `--several mean`; see who is fast, and why",
            ),
            (
                "uneven-panels",
                "with `--several majority`, items differ in their number of labels",
                "use `--several mean`, or collect the missing labels",
            ),
            (
                "people-left-out",
                "`--exclude` left people out",
                "report both results, and which verdicts change",
            ),
        ),
    ),
    _theme(
        "Labels and outputs",
        "compare, report, doctor, rank, campaign status",
        (
            (
                "neighbouring-items-correlate",
                "neighbouring items have like values, and no `cluster` says so",
                "name the document in the column `cluster` of items",
            ),
            (
                "suspicious-order",
                "the mean outcome drifts over time or over the file",
                "see whether the file is sorted, or people or instructions changed",
            ),
            ("many-ties", "most items tie", "ask a finer question, lower the tie threshold, or set a margin"),
            ("repeated-inputs", "items repeat an input, and were made one cluster", "fill the column `cluster`"),
            ("few-inputs", "repeated inputs leave at most half as many units as items", "fill the column `cluster`"),
            (
                "shared-inputs",
                "many items share one input, which is taken for an instruction",
                "fill the column `cluster` if the items are not independent",
            ),
            (
                "length-explains-preference",
                "winning goes with the length of the texts",
                "check the instructions, or compare outputs of similar length",
            ),
            ("identical-outputs", "two systems wrote the same text for many items", "check that no file was copied"),
            ("empty-outputs", "an output has no visible character", "remove the rows if the run failed there"),
            ("labels-on-identical-outputs", "people were asked about identical outputs", "do not ask: they are ties"),
            ("repeated-outputs", "a system repeats its text for many inputs", "check that the file fits the items"),
            (
                "ratings-not-used",
                "a pair has preferences and ratings on one criterion; the preferences count",
                "keep one kind, or give them different criteria",
            ),
            (
                "beyond-budget",
                "a pair has more items than `--items-per-pair`; later ones are left out",
                "keep to the budget",
            ),
            (
                "pool-is-labelled",
                "`--target items`, and all items are labelled: nothing is left to infer",
                "list all items of the pool, or ask about inputs",
            ),
            ("drawn-by-cluster", "`--target items`, and whole clusters were drawn", "use `--rule fixed`"),
            (
                "contradiction",
                "the evidence on a pair rules out every difference",
                "stop and find the cause: missing clusters, copied labels, changed outputs, an order by content",
            ),
            (
                "metric-errors-differ",
                "a metric's agreement with people differs between pairs",
                "do not carry its confusion from one pair to another",
            ),
            ("unvalidated", "people labelled nothing of what a metric or judge judged", "label some, and audit"),
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
            ("no-upper-limit", "a system was never beaten or tied", "compare it with stronger systems"),
            ("no-lower-limit", "a system never won or tied", "compare it with weaker systems"),
            ("no-limits", "a system has neither limit", "compare it with more systems"),
            ("ties-and-wins-apart", "some ratings would have made every tie and win certain", "collect more labels"),
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

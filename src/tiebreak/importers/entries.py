"""What every format and every recipe makes of a file: entries, each a few fields with the place where they stand.

The fields that an entry can have, and what their columns may be called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from tiebreak.errors import InputError, Problem, shorten
from tiebreak.tabular.source import Place


@dataclass(frozen=True, slots=True)
class Field:
    """`what` it is; `called`: what its column may be called, words without case, spaces and signs; `needs`: it means
    nothing without one of these fields beside it.
    """

    what: str
    called: str = ""
    needs: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The words that its column may be called."""
        return self.called.split()


FIELDS: Final[Mapping[str, Field]] = MappingProxyType({
    "item": Field("what a row is about: a question, a document",
        "item itemid id docid documentid promptid exampleid segmentid segid questionid qid sampleid instanceid "
        "inputid queryid taskid ticket ticketid conversationid recordid uid guid example instance hitid mailid"),
    "input": Field("the text that systems were given",
        "input prompt source sourcetext src instruction instructions question query post article document userprompt "
        "usermessage inputtext prompttext questiontext sourcesentence original originaltext originalmail"),
    "context": Field("what stands before the input, such as a conversation",
        "context background history dialoguecontext systemprompt conversation"),
    "reference": Field("what a person wrote, to compare with",
        "reference references ref gold goldanswer referenceanswer groundtruth referencetext goldtext "
        "correctanswer expected expectedoutput expectedanswer idealanswer humanreference"),
    "cluster": Field("items that belong together, such as the turns of a conversation",
        "cluster clusterid groupid dialogueid dialogid articleid threadid"),
    "passage": Field("the name of a passage", "passageid pid paragraphid snippetid chunkid passagename"),
    "passage_text": Field("the text of a passage", "passagetext passage paragraph snippet chunk evidence"),
    "system": Field("who wrote the output",
        "system systemid systemname sys model modelid modelname generator engine llm bot variant arm"),
    "sample": Field("which of several outputs of a system for an item",
        "sample seed randomseed replicate repetition rollout attempt draw", needs=("system", "system_a")),
    "text": Field("the output",
        "text output response answer generation prediction hypothesis hyp candidate completion generated outputtext "
        "responsetext modeloutput systemoutput modelresponse modelanswer translation summary reply story"),
    "system_a": Field("the first system of a pair"),
    "system_b": Field("the second system of a pair"),
    "sample_a": Field("which output of the first system"),
    "sample_b": Field("which output of the second system"),
    "text_a": Field("the output of the first system"),
    "text_b": Field("the output of the second system"),
    "outcome": Field("who won: a system, a side, or a tie",
        "outcome winner preference preferred preferredmodel preferredsystem choice vote better verdict "
        "humanpreference winnermodel bettermodel overallpreference label", needs=("system_a", "text")),
    "left": Field("the system that was shown on the left", "shownleft onleft leftsystem leftside", needs=("system_a",)),
    "rank": Field("the rank of a system", "rank", needs=("system",)),
    "ranking": Field("a whole ranking, such as x > y = z", "ranking"),
    "wins_a": Field("how often the first system won", "winsa awins"),
    "ties": Field("how often there was a tie", "ties"),
    "wins_b": Field("how often the second system won", "winsb bwins"),
    "annotator": Field("the person who labelled",
        "annotator annotatorid annotatorname worker workerid rater raterid user userid username evaluator evaluatorid "
        "labeler labelerid labeller reviewer participant participantid expert person prolificid prolificpid "
        "respondent email emailaddress"),
    "judge": Field("the model that judged", "judge judgeid judgemodel judgename llmjudge"),
    "reply": Field("what the judge wrote", "rawreply judgereply", needs=("judge",)),
    "p_a": Field("how likely the judge thinks that the first is better", "pa proba", needs=("judge",)),
    "p_tie": Field("how likely the judge thinks that there is a tie", "ptie probtie", needs=("judge",)),
    "p_b": Field("how likely the judge thinks that the second is better", "pb probb", needs=("judge",)),
    "unscored": Field("why the judge gave no answer", "unscored", needs=("judge",)),
    "criterion": Field("what was asked for, such as fluency", "criterion criteria aspect dimension"),
    "value": Field("a person's rating, or a judge's grade", "value rating stars likert grade humanscore humanrating"),
    "metric": Field("the name of a metric", "metric metricname"),
    "score": Field("a metric's score", "score", needs=("metric",)),
    "edit": Field("the output as a person corrected it",
        "edit edited postedit postedited posteditedtext correctedtext corrected correction pe"),
    "support": Field("whether a passage supports the output", "support supports supported supportlabel",
        needs=("passage", "passage_text")),
    "start": Field("where the words in the passage begin", "start", needs=("support",)),
    "end": Field("where the words in the passage end", "end", needs=("support",)),
    "sensible": Field("whether the question makes sense", "sensible"),
    "plausible": Field("whether the answer is plausible", "plausible"),
    "seconds": Field("how long the label took",
        "seconds durationseconds worktimeinseconds timespentseconds", needs=("annotator",)),
    "decided_at": Field("when the label was given (ISO 8601)", "decidedat"),
    "run": Field("the training of which a system is a checkpoint", "run runname trainingrun", needs=("step",)),
    "step": Field("the step of that training",
        "step globalstep trainingstep checkpoint checkpointstep ckpt", needs=("system",)),
    "total_steps": Field("how many steps the training has", "totalsteps maxsteps", needs=("step",)),
    "dev_loss": Field("the loss of the checkpoint on held-out data",
        "devloss evalloss valloss validationloss", needs=("step",)),
    "setting": Field("hyper-parameters of the training"),
    "signature": Field("what made a score or judgement, as tiebreak writes it", "signature", needs=("judge", "metric")),
    "judged_texts": Field("which texts were judged, as tiebreak writes it", "texts", needs=("signature",)),
})  # fmt: skip

OF_A_PAIR: Final = frozenset({
    "system_a", "system_b", "sample_a", "sample_b", "text_a", "text_b", "outcome", "left", "reply", "p_a", "p_tie",
    "p_b", "unscored", "wins_a", "ties", "wins_b", "ranking",
})  # fmt: skip
LABELS: Final = frozenset({
    "outcome", "rank", "ranking", "value", "edit", "support", "sensible", "plausible", "wins_a", "wins_b",
})  # fmt: skip
"""Fields that hold what somebody said, who has to be named."""

OTHERS_SHOWN: Final = 4

ItemSource = Literal["column", "input"]
"""Where the items of files come from: a column, or their distinct inputs."""


@dataclass(slots=True)
class Entry:
    """Something that a file says: `fields` by name, texts (a reference may be several) or numbers; a blank or None says
    nothing. `side`: who won (a, tie, b or skip), where that need not be read from an outcome. `columns`: where fields
    stand.
    """

    place: Place
    fields: dict[str, object]
    side: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """A field without blanks around it; "" where it says nothing."""
        value = self.fields.get(name)
        return "" if value is None else str(value).strip()

    def column(self, name: str) -> str:
        """The column of a field, or what else it is called."""
        return self.columns.get(name, name)


Entries = Iterable[Entry]


@dataclass(frozen=True, slots=True)
class Reading:
    """How often a cell of a column occurs and what it was read as."""

    file: str
    column: str
    cell: str
    meaning: str
    count: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was left out of a file, why, and how often."""

    file: str
    reason: str
    count: int


@dataclass(slots=True)
class _Cause:
    """What is wrong in the same way with one or more cells of a column: the first place, the cells, the rows."""

    place: Place
    column: str | None
    message: str
    cells: dict[str | None, None] = field(default_factory=dict)
    rows: set[int | None] = field(default_factory=set)

    def problem(self) -> Problem:
        """The first of them, and how many there are."""
        first, *others = self.cells
        count = len(self.rows)
        also = [f"{shorten(cell, 20)!r}" for cell in others if cell][:OTHERS_SHOWN]
        more = f", also {', '.join(also)}" + (", ..." if len(others) > len(also) else "") if also else ""
        counted = f" ({count:,} rows{more})" if count > 1 else ""
        return self.place.problem(self.message + counted, self.column, first)


class Problems:
    """Problems of files, one for each cause."""

    def __init__(self) -> None:
        self._causes: dict[tuple[str, str, str], _Cause] = {}

    def add(self, entry: Entry, name: str, message: str, cause: str = "", cell: str | None = None) -> None:
        """A field that is wrong, whose `cell` need not be what it says; those of one `cause` (else of one message) in
        one column are told together.
        """
        place, column = entry.place, entry.column(name)
        group = self._causes.setdefault((place.file, column, cause or message), _Cause(place, column, message))
        group.cells[entry.text(name) if cell is None else cell] = None
        group.rows.add(place.line)

    def add_blank(self, entry: Entry, name: str, what: str = "row") -> None:
        """A field that says nothing, and has to."""
        message = f"blank; every {what} needs its {name} ([skip] in a recipe leaves rows out)"
        self.add(entry, name, message, cell="")

    def raise_any(self, beside: Iterable[Problem] = ()) -> None:
        """InputError with all problems, in the order of the files."""
        problems = [*beside, *(cause.problem() for cause in self._causes.values())]
        if problems:
            raise InputError(problems)


def texts_of(value: object) -> Sequence[str]:
    """One text or several as several; blank ones are left out."""
    texts = value if isinstance(value, list | tuple) else [value]
    return [str(text) for text in texts if text is not None and str(text).strip()]

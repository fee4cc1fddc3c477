"""What a spreadsheet's column can be, and the names that people give it.

Names are compared without case, spaces and punctuation: `Doc ID`, `doc_id` and `docId` are one name. A name may say
a side: `model_a`, `Model 1`, `left_model`, `responseB`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal

Side = Literal["a", "b"]

TARGETS: Final[dict[str, str]] = {
    "item": "the item's id",
    "input": "the item's input (prompt, source)",
    "context": "the item's context",
    "reference": "the item's reference output",
    "cluster": "the group of dependent items (document, conversation)",
    "system": "the system that wrote the text",
    "text": "an output; several columns: one per system",
    "system_a": "the first system of a pair",
    "system_b": "the second system of a pair",
    "text_a": "the output of system_a",
    "text_b": "the output of system_b",
    "outcome": "who won; several columns: one per annotator or criterion",
    "left": "the system shown on the left",
    "annotator": "the person who labelled",
    "criterion": "what was judged",
    "value": "a rating; several columns: one per criterion",
    "metric": "the name of the metric that scored the text",
    "score": "a metric's score; several columns: one per metric",
    "seconds": "time spent on the label",
    "decided_at": "when the label was given",
    "ignore": "columns to leave out",
}

ALIASES: Final[dict[str, str]] = {
    "winner": "outcome",
    "preference": "outcome",
    "rating": "value",
    "output": "text",
    "prompt": "input",
}
"""Other words for a target that `--map` accepts."""

SEVERAL_COLUMNS: Final = frozenset({"text", "outcome", "value", "score", "ignore"})


def _words(names: str) -> tuple[str, ...]:
    return tuple(names.split())


# In order of preference: the first name present is taken.
SYNONYMS: Final[dict[str, tuple[str, ...]]] = {
    "item": _words(
        "item itemid docid documentid promptid exampleid segmentid segid segment questionid sampleid instanceid "
        "inputid sourceid queryid taskid conversationid recordid uid guid qid sid example sample instance id idx "
        "index itemno itemnumber no nr number row rowid"
    ),
    "input": _words(
        "input prompt source sourcetext src instruction instructions question query post article document userprompt "
        "usermessage inputtext prompttext questiontext sourcesentence promptinput task turnprompt"
    ),
    "context": _words("context background passage history dialoguecontext systemprompt additionalinput"),
    "reference": _words(
        "reference references ref gold target goldanswer referenceanswer groundtruth referencetext goldtext human "
        "humanreference targettext referenceoutput referencesummary goldsummary expected expectedoutput idealanswer"
    ),
    "cluster": _words("cluster clusterid group groupid dialogueid dialogid articleid threadid"),
    "system": _words(
        "system systemid systemname sys model modelid modelname generator engine llm bot variant arm mtsystem"
    ),
    "text": _words(
        "text output response answer generation prediction hypothesis hyp pred candidate completion generated "
        "generatedtext outputtext responsetext modeloutput systemoutput modelresponse modelanswer translation summary "
        "reply modelsummary modelprediction prediction systemtranslation decoded"
    ),
    "outcome": _words(
        "outcome winner preference preferred preferredmodel preferredsystem choice label vote better best verdict "
        "humanpreference humanlabel winnermodel bettermodel betterresponse selected judgment judgement decision "
        "answerchoice chosen result"
    ),
    "left": _words("left leftsystem leftmodel shownleft onleft leftside"),
    "annotator": _words(
        "annotator annotatorid worker workerid rater raterid user userid username judge judgeid evaluator evaluatorid "
        "labeler labelerid labeller labellerid annotatorname annotatedby labeledby reviewer reviewerid participant "
        "participantid expert expertid crowdworker person prolificid"
    ),
    "criterion": _words("criterion criteria aspect dimension quality facet attribute category questiontype"),
    "value": _words("value rating score stars grade likert points mark ratingvalue humanscore humanrating"),
    "metric": _words("metric metricname measure metricid scorer"),
    "seconds": _words(
        "seconds duration timespent durationseconds worktimeinseconds timeseconds timetaken elapsed elapsedseconds "
        "secs durationsec timespentseconds timespents durations times responsetime"
    ),
    "decided_at": _words(
        "decidedat timestamp createdat submittime submittedat tstamp datetime date created submitted completedat "
        "endtime annotatedat updatedat time submissiontime answeredat"
    ),
}

WEAK_ITEM_NAMES: Final = frozenset(
    _words("id idx index no nr number row rowid uid guid recordid itemno itemnumber taskid")
)
"""Names that as often number the rows of the file as the items."""

WEAK_OUTCOME_NAMES: Final = frozenset(
    _words("label choice vote better best result selected decision chosen verdict judgment judgement answerchoice")
)
"""Names that say an outcome only if the cells do too."""

METRIC_NAMES: Final = _words(
    "bleu sacrebleu chrf ter rouge rouge1 rouge2 rougel rougelsum meteor bertscore bartscore comet bleurt moverscore "
    "cider spice gptscore perplexity ppl length wordcount f1 exactmatch em bert prism yisi cometkiwi metricx geval "
    "levenshtein wer cer unieval questeval reward rewardscore similarity cosine"
)

CRITERION_NAMES: Final = frozenset(
    _words(
        "fluency coherence consistency relevance adequacy accuracy factuality faithfulness helpfulness harmlessness "
        "overall quality naturalness informativeness clarity grammar grammaticality correctness conciseness "
        "readability "
        "engagingness interestingness toxicity safety style usefulness completeness specificity diversity creativity "
        "truthfulness honesty humor humour meaning preservation simplicity understandability groundedness"
    )
)

DETAIL_NAMES: Final = frozenset(
    _words(
        "language lang languages turn split domain topic category genre source dataset comment comments note notes "
        "reason explanation rationale justification remarks feedback anony toxic url link title difficulty type tag "
        "tags status batch session country gender age hitid assignmentid year month day version seed temperature"
    )
)
"""Columns of details, never a system's texts or a criterion's ratings unless `--map` says so."""

_SIDE_WORDS: Final[dict[str, Side]] = {
    "a": "a", "1": "a", "left": "a", "first": "a",
    "b": "b", "2": "b", "right": "b", "second": "b",
}  # fmt: skip
_SYSTEM_WORDS: Final = frozenset({*SYNONYMS["system"], "assistant", "agent", "competitor", "player", "name"})
_TEXT_WORDS: Final = frozenset({*SYNONYMS["text"], "conversation", "message", "content", "sentence"})


def folded(name: str) -> str:
    """The name without case, spaces, punctuation and accents' encoding: `Doc-ID ` is `docid`."""
    return "".join(c for c in unicodedata.normalize("NFKC", name).casefold() if c.isalnum())


def words(name: str) -> list[str]:
    """The words of a column name: `leftModel` -> left, model; `Model1` -> model, 1."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", unicodedata.normalize("NFKC", name))
    return re.findall(r"\d+|[^\W\d_]+", spaced.casefold())


def side_of(name: str) -> tuple[Side | None, str]:
    """The side that a name says and the rest of it: `left_model` -> (a, model), `text` -> (None, text)."""
    parts = words(name)
    # The end says the side more often than the start: `model_1_left` does not occur, `a_model_b` neither.
    for position in (*((-1,) if parts else ()), *range(len(parts) - 1)):
        side = _SIDE_WORDS.get(parts[position])
        if side is not None:
            rest = parts[:position] if position == -1 else parts[:position] + parts[position + 1 :]
            return side, "".join(rest)
    joined = "".join(parts)
    if joined[:-1] in _SYSTEM_WORDS | _TEXT_WORDS and joined[-1:] in ("a", "b"):
        return _SIDE_WORDS[joined[-1]], joined[:-1]
    return None, joined


def sided_target(name: str) -> str | None:
    """`system_a`, `system_b`, `text_a` or `text_b` if the name says one of them, else None."""
    side, rest = side_of(name)
    if side is None:
        return None
    rest = rest.removesuffix("name").removesuffix("id") if rest not in _SYSTEM_WORDS else rest
    if rest in _SYSTEM_WORDS:
        return f"system_{side}"
    is_text = rest in _TEXT_WORDS or any(
        rest in (system + text, text + system) for system in _SYSTEM_WORDS for text in _TEXT_WORDS
    )
    return f"text_{side}" if is_text else None


def is_left_right(name: str) -> bool:
    """Whether the name says a place on the screen, so that an outcome `left` has a meaning."""
    return bool({"left", "right"} & set(words(name)))


def is_metric_name(name: str) -> bool:
    """`ROUGE-L`, `bleu_4`, `bertscore_f1`: a metric that computers compute."""
    plain = folded(name)
    return any(plain == metric or (len(metric) > 3 and plain.startswith(metric)) for metric in METRIC_NAMES)

"""The fields that an entry can have, and what their columns may be called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


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

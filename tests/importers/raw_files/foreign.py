"""Tables about something else that look like ours: test sets, corpora, surveys, ratings of goods, experiments.

Nothing in them was written by systems and judged by people.
"""

from __future__ import annotations

from random import Random
from typing import Final

from tests.importers.raw_files.words import PEOPLE_POOL, sentence

Table = dict[str, list[str]]

KINDS: Final[dict[str, str]] = {
    "inference": "id=ids; sentence{1}=text; sentence{2}=text; label=0..2",
    "inference in words": "pair_id=ids; premise=text; hypothesis=text; gold_label=entailment/neutral/contradiction",
    "inference with two labels": "idx=ids; sentence{1}=text; sentence{2}=text; label=1..2",
    "paraphrases": "id=ids; text{1}=text; text{2}=text; is_duplicate=0..1",
    "equal questions": "qid=ids; question{1}=text; question{2}=text; label=yes/no",
    "similarity": "id=ids; sentence{1}=text; sentence{2}=text; score=decimals",
    "similarity by people": "id=ids; sentence{1}=text; sentence{2}=text; rating=1..5; annotator=people",
    "a quiz": "id=ids; question=text; answer{1}=word; answer{2}=word; correct answer=1..2",
    "a test": "question=text; option{1}=text; option{2}=text; answer=A/B",
    "a test with a label": "question=text; choice{1}=text; choice{2}=text; label=1..2",
    "a test with four options": "id=ids; question=text; A=word; B=word; C=word; D=word; answer=A/B/C/D",
    "solutions": "goal=text; sol{1}=text; sol{2}=text; label=0..1",
    "causes": "id=ids; premise=text; choice{1}=text; choice{2}=text; question=cause/effect; label=0..1",
    "reading": "id=ids; title=word; context=long; question=text; answer=word",
    "reading with yes and no": "question=text; passage=long; answer=true/false",
    "frequent questions": "question=text; answer=text; category=billing/account/travel",
    "a parallel corpus": "id=ids; en=text; de=text",
    "translations": "source=text; translation=text",
    "summaries": "id=ids; article=long; summary=text",
    "offensive texts": "tweet_id=ids; annotator=people; text=text; label=0..2",
    "sentiment": "id=ids; text=text; label=positive/negative/neutral",
    "reviews": "user_id=people; item_id=ids; rating=1..5; review_text=text",
    "cars": "id=ids; model=Golf/Polo/Panda; price=9000..30000; rating=1..5",
    "phones": "no=ids; model=X10/S7/Note 3; user=people; stars=1..5",
    "hotels": "id=ids; hotel=Astoria/Ritz; reviewer=people; score=1..10; comment=text",
    "an experiment": "participant=people; trial=ids; condition=A/B; response=left/right; rt=decimals",
    "an experiment with pairs": "participant=people; item=ids; first=cat/house; second=dog/boat; response=1..2",
    "a memory test": "subject=people; item=ids; prompt=word; response=word; correct=0..1",
    "a survey": "respondent=people; age=18..80; q1=1..5; q2=1..5; q3=1..5",
    "open answers": "id=ids; question=Why?/What next?; answer=text",
    "matches": "id=ids; team_a=Reds/Blues; team_b=Whites/Greens; score_a=0..4; score_b=0..4",
    "a tournament": "match_id=ids; player_1=Ito/Kim; player_2=Diaz/Roy; winner=1..2; court=1..2",
    "essays": "essay_id=ids; rater=people; score=1..6; essay=long",
    "a class": "id=ids; name=people; math=1..6; physics=1..6; grade=1..6",
    "tickets": "id=ids; summary=text; assignee=people; priority=low/high",
    "a log": "id=ids; system=web/db; message=text; level=INFO/WARN",
    "transcripts": "utt_id=ids; transcript_1=text; transcript_2=text; wer=decimals",
    "mails": "id=ids; subject=word; body=long; label=spam/ham",
    "an A/B test": "user_id=ids; variant=A/B; clicked=0..1; revenue=decimals",
    "patients": "patient=ids; system=heart/lung; severity=1..5; note=text",
    "sensors": "id=ids; system=s1/s2; metric=temp/load; value=decimals",
    "recipes": "title=word; ingredients=text; instructions=long; rating=1..5",
    "a vote": "voter=ids; district=North/South; choice=A/B",
    "steps of answers": "task_id=1..4; step=1..5; prompt=text; response=text",
    "a training": "run=r1/r2; step=100..5000; loss=decimals; score=decimals",
    "cars in pairs": "car{1}=VW/Seat; car{1} model=Golf/Polo; car{2}=Fiat/Kia; car{2} model=Rio/Uno; better=1..2",
    "documents": "doc=d1/d2/d3; text=long; label=0..2",
    "lines of a play": "id=ids; speaker=ROMEO/JULIET; text=text",
}
"""Columns as `name=cells`; cells are of a kind, from a range of whole numbers, or one of several words."""

_LENGTHS: Final = {"word": (1, 3), "text": (5, 14), "long": (25, 60)}
_SIDES: Final = (("1", "2"), ("a", "b"), (" A", " B"), ("_1", "_2"))


def table_of_something_else(random: Random) -> tuple[str, Table]:
    """One of them, and what it is."""
    name = random.choice(list(KINDS))
    rows, (first, second) = random.randint(4, 40), random.choice(_SIDES)
    named = random.choice((str, str, str.title))
    columns: Table = {}
    for part in KINDS[name].replace("{1}", first).replace("{2}", second).split("; "):
        title, _, cells = part.partition("=")
        columns[named(title)] = _cells(random, cells, rows)
    return name, columns


def _cells(random: Random, kind: str, rows: int) -> list[str]:
    if kind in _LENGTHS:
        return [sentence(random, *_LENGTHS[kind]) for _ in range(rows)]
    if kind == "ids":
        return [str(row) for row in range(rows)]
    if kind == "decimals":
        return [f"{random.random() * 5:.2f}" for _ in range(rows)]
    low, _, high = kind.partition("..")
    words = random.sample(PEOPLE_POOL, 3) if kind == "people" else kind.split("/")
    return [str(random.randint(int(low), int(high))) if high else random.choice(words) for _ in range(rows)]

"""Words of made-up files: texts, names of systems and people, headers in several languages and with messy spelling."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

_STORY: Final = (
    "the train leaves before noon and nobody knows why it was late again this week although the staff had "
    "asked for more time to check the doors while two children played with a red ball near the old stairs "
    "of the station"
)
TOPICS: Final = tuple(_STORY.split())
SYSTEM_POOL: Final = (
    "gpt-4o", "llama-3-70b", "mistral", "baseline", "ours", "GPT 3.5 Turbo", "opt-7b", "Claude v2", "system-12", "CGA",
    "V1", "T5 (large)", "Online-W", "model_17b", "finetuned v2", "qwen2", "prompt-b", "bottom-up",
)  # fmt: skip
PEOPLE_POOL: Final = (
    "ann", "Bo", "Carla M.", "worker_17", "A2UF2FRGVW4T89", "Jürgen", "rater3", "山田", "p-104", "42", "expert_2",
    "o.smith@example.org",
)  # fmt: skip
JUDGES: Final = ("gpt-4", "gpt-4o-mini", "claude-3-opus", "llama-3-70b-instruct", "prometheus-13b", "gemini-1.5-pro")

HEADERS: Final[dict[str, tuple[str, ...]]] = {
    "item": ("item", "id", "item_id", "doc_id", "question_id", "Example ID", "segId", "prompt_id", "sample", "Nr",
             "numero", "编号", "番号", "HITId"),
    "input": ("prompt", "input", "question", "source", "Instruction", "query", "Frage", "pregunta", "Domanda", "问题",
              "質問", "src", "Eingabe", "consigne"),
    "system": ("system", "model", "Model Name", "generator", "Modell", "sistema", "模型", "engine", "systemID"),
    "text": ("output", "response", "answer", "prediction", "Antwort", "respuesta", "回答", "generated_text", "summary",
             "Translation", "hyp"),
    "winner": ("winner", "preference", "vote", "Gewinner", "choice", "ganador", "vainqueur", "胜者", "label", "verdict",
               "Urteil", "better", "Selection"),
    "person": ("annotator", "worker", "rater", "WorkerId", "user", "Bewerter", "evaluador", "标注者", "participant",
               "annotatorID"),
    "score": ("rating", "score", "stars", "Bewertung", "puntuacion", "评分", "grade"),
}  # fmt: skip
UNKNOWN: Final[dict[str, tuple[str, ...]]] = {
    "item": ("case", "thing", "ref_no", "kohde"), "input": ("utterance", "stimulus", "kehote", "what we asked"),
    "system": ("who wrote it", "candidate name", "tuottaja"), "text": ("what came back", "tuotos", "snippet"),
    "winner": ("Q1", "your pick", "voittaja", "final"), "person": ("initials", "arvioija", "filled in by"),
    "score": ("how good", "pisteet", "X1"),
}  # fmt: skip
"""Headers that no list of names holds."""

NOTES: Final[dict[str, tuple[str, ...]]] = {
    "input": ("(DE)", "[en]", "(required)"), "text": ("(EN)", "(de-CH)"), "person": ("(optional)",),
    "score": ("(1-5)", "[1 to 5]", "(1 = bad, 5 = good)"),
}  # fmt: skip
"""What names of columns say in brackets."""
NOTED: Final = 0.2  # of 1: how many of the headers that may have a note

ANSWERS: Final[tuple[tuple[str, str, str], ...]] = (
    ("A", "B", "tie"), ("1", "2", "0"), ("model_a", "model_b", "tie (bothbad)"),
    ("Sentence A", "Sentence B", "both good"),
    ("A is better", "B is better", "none"), ("first", "second", "equal"), ("1st", "2nd", "draw"),
    ("Modell A", "Modell B", "unentschieden"), ("A>B", "B>A", "A=B"), ("la primera", "la segunda", "empate"),
    ("模型A更好", "模型B更好", "平局"), ("[[A]]", "[[B]]", "[[C]]"), ("-1", "1", "0"),
)  # fmt: skip
"""What is written for the first, the second, and a tie; the last two and numbers with a 0 cannot be known and must be
asked about."""

NOISE: Final[dict[str, Sequence[str]]] = {
    "comments": ("", "", "nice", "not sure", "ok"), "status": ("Submitted", "Approved"),
    "email": ("a@x.org", "b@x.org"),
    "date": ("2024-03-04", "2024-03-05", "2024-03-06"), "AcceptTime": ("Mon Jun 21 09:26:33 PDT 2021",),
    "batch": ("1", "2"), "topic": ("trains", "food", "law"), "confidence": ("1", "2", "3", "4"),
    "country": ("DE", "FR"),
    "clicks": ("3", "14", "15"), "Bemerkung": ("", "gut", "zu lang"), "language": ("en", "de"), "valid": ("yes", "no"),
    "device": ("phone", "laptop"), "reason": ("The first one is clearer to me.", "I liked the tone more.", ""),
    "Zufriedenheit": ("hoch", "mittel", "gering"), "session": ("s1", "s2"), "price": ("0.02", "0.03"),
}  # fmt: skip


def sentence(random: Random, shortest: int = 4, longest: int = 16) -> str:
    """Words in no order."""
    return " ".join(random.choice(TOPICS) for _ in range(random.randint(shortest, longest))).capitalize() + "."


def header(random: Random, what: str, unknown: float) -> str:
    """A header for a column; with this chance one that no list of names holds; spelt as people spell."""
    name = random.choice((UNKNOWN if random.random() < unknown else HEADERS)[what])
    spelt = random.choice((name, name, name, name.upper(), name.replace("_", " "), f" {name} ", name.title()))
    return noted(random, spelt, what)


def noted(random: Random, name: str, what: str) -> str:
    """The name, now and then with a note."""
    return f"{name} {random.choice(NOTES[what])}" if what in NOTES and random.random() < NOTED else name


def noise(random: Random, rows: int, most: int = 4) -> dict[str, list[str]]:
    """Columns that say nothing about outputs or labels."""
    names = random.sample(sorted(NOISE), random.randint(0, most))
    return {name: [random.choice(NOISE[name]) for _ in range(rows)] for name in names}

"""Which campaigns belong to the tables, and what metrics and domains are called there."""

from __future__ import annotations

from benchmarks.papers.metric_error.campaigns import Job, repeated

METRICS = {
    "rougeL_first_ref": "ROUGE-L",
    "rougeL_max11": "ROUGE-L, best of 11",
    "chrf_11refs": "chrF",
    "bleu_11refs": "BLEU",
    "gpt-4o": "GPT-4o",
    "gpt-4o-mini": "GPT-4o mini",
    "gemini_pro": "Gemini Pro",
    "gemini_flash": "Gemini Flash",
    "llama-31": "Llama 3.1",
    "mistral-v03": "Mistral v0.3",
    "bleu_refA": "BLEU",
    "chrf_refA": "chrF",
}
TITLES = {
    "relevance": "relevance",
    "coherence": "coherence",
    "consistency": "consistency",
    "fluency": "fluency",
    "wmt21": "WMT21",
}
ELEVEN = (
    Job("wmt21-eleven", "posterior", order="listed", batch=50),
    Job("wmt21-eleven", "posterior", batch=50),
    Job("wmt21-eleven", "posterior", order="listed"),
    Job("wmt21-eleven", "posterior"),
)
"""The eleven systems that the paper names, humans only: in document order and in random ones."""
IDEAL = Job("relevance", "ideal", "ideal")
IDEAL_ALONE = Job("relevance", "ideal alone", "ideal")


def naive_metrics(domain: str) -> tuple[str, ...]:
    """The metrics of a domain, as far as they cover all its systems."""
    return tuple(name for name in METRICS if name.endswith("refA") == (domain == "wmt21"))


def protocol_jobs(domain: str) -> list[Job]:
    """The paper's protocol, humans only and with metrics; all of them on relevance."""
    if domain == "relevance":
        metrics = tuple(name for name in naive_metrics(domain) if name != "rougeL_max11")
    elif domain == "wmt21":
        metrics = naive_metrics(domain)
    else:
        metrics = ("rougeL_first_ref", "chrf_11refs", "bleu_11refs", "gpt-4o")
    return [Job(domain, "posterior", metric) for metric in (None, *metrics)]


def anytime_jobs(domain: str) -> list[Job]:
    """Our own rule. A metric cannot help a claim about inputs where every item is labelled."""
    metrics = ("bleu_refA",) if domain == "wmt21" else ("rougeL_first_ref", "gpt-4o")
    of_items = [
        Job(domain, "anytime", metric, target="items", multiplicity=multiplicity)
        for multiplicity in ("none", "holm")
        for metric in (None, *metrics)
    ]
    of_inputs = [
        Job(domain, "anytime", target="inputs", multiplicity=multiplicity) for multiplicity in ("none", "holm")
    ]
    return [*of_items, *of_inputs]


def all_jobs(repetitions: int) -> list[Job]:
    """Every campaign of the tables, first the first repetition of each."""
    jobs = [job for domain in TITLES for job in (*protocol_jobs(domain), *anytime_jobs(domain))]
    return repeated([*jobs, *ELEVEN, IDEAL, IDEAL_ALONE], repetitions)

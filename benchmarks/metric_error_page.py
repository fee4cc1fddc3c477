"""What is run for docs/metric_error_correction.md, and its text."""

NAIVE_METRICS = {
    "rougeL_first_ref": "ROUGE-L",
    "rougeL_max11": "ROUGE-L, best of 11 references",
    "chrf_11refs": "chrF",
    "bleu_11refs": "BLEU",
    "gpt-4o": "GPT-4o",
    "gpt-4o-mini": "GPT-4o mini",
    "gemini_pro": "Gemini Pro",
    "gemini_flash": "Gemini Flash",
    "llama-31": "Llama 3.1",
    "mistral-v03": "Mistral v0.3",
}


def protocol_metrics(domain: str) -> tuple[str, ...]:
    if domain == "wmt21":
        return ("bleu_refA", "chrf_refA")
    if domain == "relevance":
        return tuple(name for name in NAIVE_METRICS if name != "rougeL_max11")
    return ("rougeL_first_ref", "chrf_11refs", "bleu_11refs", "gpt-4o")


def anytime_designs(domain: str) -> list[tuple[str, str, str | None]]:
    """Target, multiplicity and metric of our own campaigns; all of them on relevance."""
    common: list[tuple[str, str, str | None]] = [("items", "none", None), ("items", "holm", None)]
    if domain != "relevance":
        return common
    return [
        *common,
        ("items", "none", "gpt-4o"),
        ("items", "holm", "gpt-4o"),
        ("inputs", "none", None),
        ("inputs", "holm", None),
    ]

"""All sentences about results, for the terminal, reports, sheets and pages alike; one theme per file."""

from tiebreak.results.words.claims import (
    agreement_rows,
    claim_words,
    clusters_words,
    compared_words,
    cycle_words,
    difference_words,
    interval_words,
    labels_seen,
    labels_words,
    rule_words,
    sizes_words,
    worth_words,
)
from tiebreak.results.words.message import Message, message_of, systems_by_rank
from tiebreak.results.words.metric_use import (
    OUTCOMES,
    MetricSummary,
    metrics_of_criterion,
    metrics_of_pair,
    order_words,
)
from tiebreak.results.words.notices import contradictions, notes_and_warnings
from tiebreak.results.words.own_analysis import unlike_campaign
from tiebreak.results.words.paper import paper_sentence
from tiebreak.results.words.verdicts import (
    further_words,
    missing_words,
    needed_words,
    too_few_words,
    verdict_words,
)

__all__ = [
    "OUTCOMES",
    "Message",
    "MetricSummary",
    "agreement_rows",
    "claim_words",
    "clusters_words",
    "compared_words",
    "contradictions",
    "cycle_words",
    "difference_words",
    "further_words",
    "interval_words",
    "labels_seen",
    "labels_words",
    "message_of",
    "metrics_of_criterion",
    "metrics_of_pair",
    "missing_words",
    "needed_words",
    "notes_and_warnings",
    "order_words",
    "paper_sentence",
    "rule_words",
    "sizes_words",
    "systems_by_rank",
    "too_few_words",
    "unlike_campaign",
    "verdict_words",
    "worth_words",
]

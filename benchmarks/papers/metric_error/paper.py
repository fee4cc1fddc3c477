"""What the paper prints: metric-error-correction, Tables 2 to 5."""

from __future__ import annotations

NAIVE = {
    ("coherence", "rougeL_first_ref"): (0.45, 0.33, 0.00, 0.22, 0.34),
    ("consistency", "rougeL_first_ref"): (0.35, 0.25, 0.02, 0.38, 1.98),
    ("fluency", "rougeL_first_ref"): (0.41, 0.18, 0.00, 0.42, 0.99),
    ("relevance", "rougeL_first_ref"): (0.52, 0.24, 0.01, 0.23, 0.25),
    ("wmt21", "bleu_refA"): (0.44, 0.16, 0.07, 0.33, 0.43),
}
"""Table 4: correct, inversion, omission, insertion, KLD."""

NAIVE_MEANS = {"relevance": (7, (0.55, 0.19, 0.03, 0.23, 0.28)), "wmt21": (4, (0.52, 0.07, 0.10, 0.31, 0.52))}
"""Table 2: the number of metrics, and the means over them."""

PROTOCOL = {
    ("coherence", None): (0.97, 0.00, 0.00, 0.03, 0.04, 0.42),
    ("coherence", "rougeL_first_ref"): (0.96, 0.00, 0.00, 0.04, 0.03, 0.40),
    ("consistency", None): (0.93, 0.00, 0.00, 0.07, 0.02, 0.53),
    ("consistency", "rougeL_first_ref"): (0.88, 0.00, 0.00, 0.12, 0.02, 0.46),
    ("fluency", None): (0.95, 0.00, 0.00, 0.05, 0.03, 0.60),
    ("fluency", "rougeL_first_ref"): (0.93, 0.00, 0.00, 0.07, 0.04, 0.57),
    ("relevance", None): (0.95, 0.00, 0.00, 0.05, 0.07, 0.43),
    ("relevance", "rougeL_first_ref"): (0.94, 0.00, 0.01, 0.05, 0.05, 0.41),
    ("wmt21", None): (0.65, 0.00, 0.00, 0.35, 0.06, 0.34),
    ("wmt21", "bleu_refA"): (0.65, 0.00, 0.00, 0.35, 0.05, 0.34),
}
"""Table 5: the same, and the share of annotations."""

IDEAL_NAIVE = (0.75, 0.00, 0.00, 0.25, 0.02)
IDEAL_PROTOCOL = (0.85, 0.00, 0.00, 0.15, 0.02, 0.38)

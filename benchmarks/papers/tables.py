"""The tables of docs/papers, in the terms of `evidence_tables`."""

from __future__ import annotations

from benchmarks.evidence_tables import Rows, SideBySide, Table

_OUTCOMES = {
    "correct": "{correct:.2f}[ ± {correct half:.2f}]",
    "inversion": "{inversion:.2f}[ ± {inversion half:.2f}]",
    "omission": "{omission:.2f}[ ± {omission half:.2f}]",
    "insertion": "{insertion:.2f}[ ± {insertion half:.2f}]",
}
_SHARE = {"share of labels": "[{share of labels:.2f}][ ± {share of labels half:.2f}]"}
_CHOICES = {
    "best by": "{best by}",
    "chooser": "{chooser}",
    "regret": "{regret:.2g} ({regret low:.2g} to {regret high:.2g})",
    "p": "[{sign regret} {p regret:.2g}]",
}

TABLES: dict[str, Table] = {
    # dynamic human evaluation
    "dynamic-3": Rows(
        "dynamic_table_3",
        {
            "difficulty": "{mean difficulty:g}",
            "method": "{method}",
            "paper": "{paper:,.0f}",
            "ours": "{ours:,.0f}",
            "20 redraws": "{redraws low:,.0f}-{redraws high:,.0f}",
        },
    ),
    "dynamic-errors": Rows(
        "dynamic_errors",
        {"items": "{items:,.0f}", "rule": "{rule}", "wrong": "{wrong:.2%} ± {half:.2%}"},
        {"level": ["0.01"]},
    ),
    "dynamic-6": Rows(
        "dynamic_table_6",
        {
            "pair": "{pair}",
            "method": "{method}",
            "paper": "{paper:,.0f}",
            "ours, last": "{ours:,.0f}",
            "ours, first": "{first:,.0f}",
            "decided": "{first decided:.0%}",
        },
        {"level": ["0.001"]},
    ),
    "dynamic-7": Rows(
        "dynamic_table_7",
        {"d": "{level:g}", "paper": "{paper:.0%}", "ours, last": "{ours:.0%}", "ours, first": "{first:.0%}"},
    ),
    "dynamic-kappa": Rows(
        "dynamic_kappa",
        {
            "pair": "{pair}",
            "paper": "{paper:.2f}",
            "by position": "{position:.2f} ({position low:.2f}-{position high:.2f})",
            "by system": "{system:.2f} ({system low:.2f}-{system high:.2f})",
        },
    ),
    "dynamic-anytime": Rows(
        "dynamic_anytime",
        {
            "method": "{method}",
            "labels": "{labels:,.0f}",
            "decided": "{decided:.0%}",
        },
        {"alpha": ["0.001"], "pair": ["V2 against CGA (R1)"]},
    ),
    # metric errors and their correction
    "metric-error-naive": Rows(
        "metric_error_naive",
        {"domain": "{domain}", "metric": "{with}", "": "{source}", **_OUTCOMES},
        {"with": ["ROUGE-L", "ROUGE-L, counts x 110", "GPT-4o", "BLEU"], "domain": ["relevance", "WMT21"]},
    ),
    "metric-error-protocol": Rows(
        "metric_error_protocol",
        {
            "domain": "{domain}",
            "": "{source}",
            "correct": _OUTCOMES["correct"],
            "insertion": _OUTCOMES["insertion"],
            **_SHARE,
        },
        {"with": ["humans only"]},
    ),
    "metric-error-references": Rows(
        "metric_error_references",
        {
            "domain": "{domain}",
            "exact": "{exact:.3f} ± {exact half:.3f}",
            "asymptotic": "{asymptotic:.3f} ± {asymptotic half:.3f}",
            "paper": "{paper:.2f}",
        },
    ),
    "metric-error-order": Rows(
        "metric_error_order",
        {
            "segments in": "{segments in}",
            "": "{source}",
            "correct": _OUTCOMES["correct"],
            "insertion": _OUTCOMES["insertion"],
            **_SHARE,
        },
        {"batch": ["50", ""]},
    ),
    "metric-error-anytime": Rows(
        "metric_error_anytime",
        {
            "claim about": "{claim about}",
            "5% for": "{5% for}",
            "decided": "{decided:.2f}",
            "correct": _OUTCOMES["correct"],
            "omission": _OUTCOMES["omission"],
            **_SHARE,
        },
        {"domain": ["relevance"], "with": ["humans only"]},
    ),
    "metric-error-joint": Rows(
        "metric_error_joint",
        {
            "studies": "{world}",
            "model": "{model}",
            "intervals hold": "{coverage:.1%}",
            "width": "{width:.2f}",
            "labels saved": "[{saved:.0%}]",
        },
        {
            "world": [
                "metric errs alike",
                "metric errs unlike",
                "three annotators",
                "easy and hard items",
                "SummEval, 20 of 100 items",
            ]
        },
    ),
    # the price of debiasing
    "price-caps": Rows(
        "price_caps",
        {
            "prompt": "{prompt}",
            "sigma_a^2": "{sigma_a^2:.2f}",
            "sigma_f^2": "{sigma_f^2:.2f}",
            "gamma": "{gamma:.2f}",
            "cap": "{cap:.2f}",
        },
    ),
    "price-perfect": Rows(
        "price_perfect",
        {
            "gamma": "{gamma:g}",
            "annotators": "{people:.0f}",
            "cap": "{limit:.2f}",
            "ceiling": "{ceiling:.2f}",
            "as in the paper": "{as in the paper:.2f}",
            "leave-one-out": "{leave-one-out:.2f}",
        },
    ),
    "price-variances": Rows(
        "price_variances",
        {
            "criterion": "{criterion}",
            "gamma, pooled": "{gamma pooled:.2f} ({pooled low:.2f}-{pooled high:.2f})",
            "gamma, within systems": "{gamma within:.2f} ({within low:.2f}-{within high:.2f})",
            "cap": "{cap:.2f}",
            "systems without spread": "{systems without spread:.0f}",
        },
    ),
    "price-widths": Rows(
        "price_widths",
        {"metric": "{metric}", **{f"n = {n}": f"{{n = {n}:.2f}}" for n in (10, 20, 50, 100)}},
    ),
    "price-what-if": Rows("price_what_if", {"what if (GPT-4o)": "{what if}", "data efficiency": "{efficiency:.2f}"}),
    "price-levels": Rows(
        "price_levels",
        {
            "metric": "{metric}",
            "between systems": "{between systems:.2f}",
            "over all outputs": "{over all outputs:.2f}",
            "within systems": "{within systems:.2f}",
        },
    ),
    "price-stopping": SideBySide(
        "price_stopping",
        {"metric": "{metric}", "correlation": "{correlation:.2f}"},
        "stop",
        {"0.2 of 500": "500 outputs", "0.2 of 5,000": "5,000 outputs"},
        "{saved:z.0%}",
        {"stop": ["0.2 of 500", "0.2 of 5,000"], "assumed": ["0.3", "0.4", "0.5", ""]},
    ),
    "price-comparisons": Rows(
        "price_comparisons",
        {
            "criterion": "{criterion}",
            "kappa, ratings": "{kappa of ratings:.2f}",
            "kappa, comparisons": "{kappa of comparisons:.2f}",
            "gamma, ratings": "{gamma of ratings:.2f}",
            "gamma, comparisons": "{gamma of comparisons:.2f}",
        },
    ),
    # learning to compare
    "learning-settings": Rows(
        "learning_choice",
        _CHOICES,
        {"task": ["settings"], "chooser": ["evaluator", "discriminator", "BLEU", "dev loss"]},
    ),
    "learning-stopping": Rows(
        "learning_choice",
        {name: template for name, template in _CHOICES.items() if name != "best by"},
        {"task": ["stopping"], "best by": ["loss"]},
    ),
    "learning-order": Rows(
        "learning_order",
        {
            "network never seen": "{network}",
            **{
                name: f"{{{name}:.2f}} ({{{name} low:.2f}}-{{{name} high:.2f}})"
                for name in ("evaluator", "dev loss", "ROUGE-L")
            },
        },
    ),
    "learning-summaries": Rows(
        "learning_summaries",
        {
            "by": "{by}",
            "two-way": "{two-way:.0%}",
            "Spearman": "{spearman:.2f}[ ({spearman low:.2f}-{spearman high:.2f})]",
        },
        {"by": ["evaluator", "regressor", "discriminator", "chrf", "rougeL", "gpt-4o"]},
    ),
    "learning-parts": Rows(
        "learning_parts",
        {
            "evaluator": "{evaluator}",
            "texts": "{texts spearman:.2f}",
            "systems": "{systems spearman:.2f} / {systems pearson:.2f}",
            "paper, systems": "[{paper spearman:.3f} / {paper pearson:.3f}, {in the paper}]",
        },
        {
            "evaluator": [
                "labels alone: the evaluator above",
                "references first, then labels",
                "references alone, no labels",
                "without ties",
                "from random weights",
                "frozen encoder",
                "discriminator",
            ]
        },
    ),
}

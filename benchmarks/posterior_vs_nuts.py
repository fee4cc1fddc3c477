"""The metric-error posterior against NUTS in the paper's setting; prints Markdown, `--write` saves docs/posterior.md.

python benchmarks/posterior_vs_nuts.py [--tables NAME ...] [--chains 5] [--warmup 2000] [--draws 10000] [--write]

numpyro and jax are an oracle here and no dependency of tiebreak; without them this says how to install them.
Compiling is not counted against NUTS: a first run of the same shapes fills a compilation cache, and the little that
tracing and reading the cache still take in the runs that count is measured by jax and subtracted.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import textwrap
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak import Study, read_study, write_study
from tiebreak.kernels.metric_error import metric_error_posterior

try:
    import jax
    import numpyro
    import numpyro.distributions as dist
    from numpyro.diagnostics import effective_sample_size
    from numpyro.infer import MCMC, NUTS
except ImportError as error:
    sys.exit(
        f"this benchmark needs numpyro ({error}). In an environment of its own:\n"
        "  python -m venv nuts-venv && nuts-venv/bin/pip install numpyro jax jaxlib -e .\n"
        "  nuts-venv/bin/python benchmarks/posterior_vs_nuts.py"
    )

REPOSITORY = Path(__file__).resolve().parents[1]
GOLDEN = REPOSITORY / "tests" / "kernels" / "golden" / "metric_error.json"
SUMMEVAL = REPOSITORY.parent / "shared" / "data" / "summeval"
LABELLED = 40  # of SummEval's 100 articles; with all of them labelled nothing would be sampled
TABLES = (
    "fair-50-11000",
    "good-10-11000",
    "never-ties-50-1000",
    "conflicting-40",
    "human-only-20-more",
    "weak-100-11000",
    "reversed-metric-50",
    "forced-100-5000",
)
REPEATS = 5  # of the kernel, whose time is short
LARGEST_DEVIATION = 4.0  # combined standard errors
TARGET_RATIO = 500.0

INTRODUCTION = """# The metric-error posterior: accuracy and speed

tiebreak computes the posterior of metric-error-correction (Algorithm 1) by importance sampling with randomised Sobol
points instead of by NUTS. theta is the posterior probability that a is preferred more often than b.

## Against references

{accuracy}

Three-class references are long runs of an independent importance sampler in the paper's own parametrisation,
two-class references are exact sums: `benchmarks/make_metric_error_golden.py`. All tables, the standard errors of the
references and their effective sizes are in `tests/kernels/golden/metric_error.json`.

## Against NUTS in the paper's setting

Made by `python benchmarks/posterior_vs_nuts.py --write`: numpyro {numpyro}, {chains} chains one after another, each
{warmup:,} warm-up and {draws:,} kept draws, on a CPU ({cores} cores). CPU seconds of the process; compiling is not
counted. Deviation: the difference of NUTS and tiebreak over their combined standard error. At equal error: the ratio
of CPU times if NUTS ran on until its standard error is tiebreak's.
"""


@dataclass(frozen=True, slots=True)
class Answer:
    theta: float
    error: float
    cpu_seconds: float


def model(paired: Any, metric_only: Any, human_only: Any) -> None:
    """Algorithm 1 of the paper. Dirichlet batches are columns of mu: shape (C, K), human class first."""
    p = numpyro.sample("p", dist.Dirichlet(paired.sum(axis=0) + human_only + 1.0))
    columns = numpyro.sample("mu", dist.Dirichlet(paired.T + 1.0).to_event(1))
    numpyro.sample(
        "m",
        dist.Multinomial(probs=p @ columns, total_count=metric_only.sum(), total_count_max=100_000),
        obs=metric_only,
    )


class PreparationClock:
    """Seconds that jax reports for tracing, lowering and compiling (or reading the compilation cache)."""

    EVENTS = ("jaxpr_trace_duration", "jaxpr_to_mlir_module_duration", "backend_compile_duration")

    def __init__(self) -> None:
        self.seconds = 0.0
        jax.monitoring.register_event_duration_secs_listener(self.add)

    def add(self, event: str, seconds: float, **_details: object) -> None:
        if event.endswith(self.EVENTS):
            self.seconds += seconds


def cpu_seconds() -> float:
    """Of the whole process, all threads."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def nuts(sampler: MCMC, case: dict[str, Any], seed: int, clock: PreparationClock) -> Answer:
    counts = [np.array(case[key], dtype=np.float32) for key in ("paired", "metric_only", "human_only")]
    start = cpu_seconds() - clock.seconds
    sampler.run(jax.random.PRNGKey(seed), *counts)
    p = np.asarray(sampler.get_samples(group_by_chain=True)["p"])
    seconds = cpu_seconds() - clock.seconds - start
    ahead = (p[:, :, 0] > p[:, :, -1]).astype(np.float64)
    theta = float(ahead.mean())
    size = float(effective_sample_size(ahead)) if 0 < theta < 1 else ahead.size
    return Answer(theta, math.sqrt(max(theta * (1 - theta), 1 / ahead.size) / size), seconds)


def tiebreak(case: dict[str, Any]) -> Answer:
    arguments = (case["paired"], case["metric_only"], case["human_only"])
    posterior = metric_error_posterior(*arguments)
    start = cpu_seconds()
    for _ in range(REPEATS):
        posterior = metric_error_posterior(*arguments)
    return Answer(posterior.theta, posterior.theta_se, (cpu_seconds() - start) / REPEATS)


def accuracy_summary(cases: list[dict[str, Any]]) -> str:
    """One paragraph about every golden table with at least 10 human labels, seed 0."""
    errors, seconds, points = [], [], []
    for case in cases:
        answer = metric_error_posterior(case["paired"], case["metric_only"], case["human_only"])
        if "few-labels" in answer.flags or answer.points == 0:
            continue
        errors.append(answer.theta - case["theta"])
        points.append(answer.points)
        seconds.append(tiebreak(case).cpu_seconds)
    deviations: NDArray[np.float64] = np.abs(errors)
    worst_reference = max(case["theta_se"] for case in cases)
    return (
        f"On {len(errors)} tables with 10 to 545 human labels and 10 to 11,000 metric-only labels: |theta - reference| "
        f"at most {deviations.max():.4f}, root mean square {math.sqrt(np.square(deviations).mean()):.4f}; the "
        f"references have standard errors of at most {worst_reference:.4f}. CPU time per pair: median "
        f"{1000 * np.median(seconds):.0f} ms, worst {1000 * max(seconds):.0f} ms, for {min(points):,} to "
        f"{max(points):,} points."
    )


def row(case: dict[str, Any], sampled: Answer, ours: Answer) -> tuple[str, float, float]:
    """Line of the table, deviation and ratio of CPU time."""
    combined = math.hypot(sampled.error, ours.error)
    deviation = abs(sampled.theta - ours.theta) / combined if combined else 0.0
    ratio = sampled.cpu_seconds / ours.cpu_seconds
    at_equal_error = ratio * (sampled.error / ours.error) ** 2
    text = (
        f"| {case['name']} | {case['theta']:.4f} | {sampled.theta:.4f} ± {sampled.error:.4f} | "
        f"{ours.theta:.4f} ± {ours.error:.4f} | {deviation:.1f} | {sampled.cpu_seconds:.1f} | "
        f"{ours.cpu_seconds:.3f} | {ratio:,.0f} | {at_equal_error:,.0f} |"
    )
    return text, deviation, ratio


def whole_process() -> str:
    """Wall and CPU time of `compare --rule posterior` on SummEval, from the start of the process to its end."""
    if not SUMMEVAL.is_dir():
        return ""
    study = read_study(SUMMEVAL)
    if study.ratings is None:
        raise SystemExit(f"{SUMMEVAL} holds no ratings")
    rows = study.ratings.filter(
        study.ratings["annotator"].str.starts_with("expert_") & (study.ratings["criterion"] == "relevance")
    )
    first = rows["item"].unique().sort().head(LABELLED).to_list()
    partly = Study.from_tables(
        name="summeval", outputs=study.outputs, scores=study.scores, ratings=rows.filter(rows["item"].is_in(first))
    )
    with tempfile.TemporaryDirectory() as folder:
        write_study(partly, Path(folder) / "summeval")
        arguments = ["compare", str(Path(folder) / "summeval"), "--rule", "posterior", "--metric", "gpt-4o"]
        code = "from tiebreak.cli.main import run; run()"
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([sys.executable, "-c", code, *arguments], check=True, stdout=subprocess.DEVNULL)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    text = (
        f"SummEval, 16 systems: all 120 pairs on relevance, from the experts' ratings of {LABELLED} of the 100 "
        f"articles and GPT-4o's scores of all: {wall:.1f} s for the whole process, {cpu:.1f} s of CPU time "
        "(`tiebreak compare STUDY --rule posterior --metric gpt-4o`)."
    )
    return f"\n## A whole study\n\n{textwrap.fill(text, 118, break_on_hyphens=False)}\n"


def sampler_for(arguments: argparse.Namespace) -> MCMC:
    return MCMC(
        NUTS(model),
        num_warmup=arguments.warmup,
        num_samples=arguments.draws,
        num_chains=arguments.chains,
        chain_method="sequential",
        progress_bar=False,
        jit_model_args=True,
    )


def compare(cases: list[dict[str, Any]], arguments: argparse.Namespace) -> tuple[list[str], list[float], list[float]]:
    """Lines of the table (printed as they come), deviations and ratios of CPU time."""
    clock = PreparationClock()
    samplers: dict[int, MCMC] = {}
    lines, deviations, ratios = [], [], []
    for case in cases:
        classes = len(case["human_only"])
        if classes not in samplers:
            samplers[classes] = sampler_for(arguments)
            start = time.perf_counter()
            nuts(samplers[classes], case, arguments.seed + 1, clock)
            print(f"(compiled and ran once in {time.perf_counter() - start:.0f} s)", file=sys.stderr, flush=True)
        sampled = nuts(samplers[classes], case, arguments.seed, clock)
        line, deviation, ratio = row(case, sampled, tiebreak(case))
        print(line, flush=True)
        lines.append(line)
        deviations.append(deviation)
        ratios.append(ratio)
    return lines, deviations, ratios


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="+", default=list(TABLES), help="names in the golden file")
    parser.add_argument("--chains", type=int, default=5)
    parser.add_argument("--warmup", type=int, default=2_000)
    parser.add_argument("--draws", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="save docs/posterior.md")
    return parser.parse_args()


def main() -> int:
    arguments = parsed_arguments()
    cases = json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]
    by_name = {case["name"]: case for case in cases}
    unknown = [name for name in arguments.tables if name not in by_name]
    if unknown:
        sys.exit(f"no table is called {', '.join(unknown)}; there are {', '.join(by_name)}")
    text = INTRODUCTION.format(
        accuracy=textwrap.fill(accuracy_summary(cases), 118),
        numpyro=numpyro.__version__,
        chains=arguments.chains,
        warmup=arguments.warmup,
        draws=arguments.draws,
        cores=os.cpu_count(),
    )
    header = [
        "| table | reference | NUTS | tiebreak | deviation | NUTS, CPU s | tiebreak, CPU s | ratio | at equal error |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    print(text, *header, sep="\n", flush=True)
    with tempfile.TemporaryDirectory() as cache:
        jax.config.update("jax_compilation_cache_dir", cache)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        lines, deviations, ratios = compare([by_name[name] for name in arguments.tables], arguments)
    verdict = (
        f"\nLargest deviation {max(deviations):.1f} combined standard errors; NUTS takes {min(ratios):,.0f} to "
        f"{max(ratios):,.0f} times the CPU time (median {np.median(ratios):,.0f})."
    )
    verdict += "\n" + whole_process()
    print(verdict)
    if arguments.write:
        output = REPOSITORY / "docs" / "posterior.md"
        output.parent.mkdir(exist_ok=True)
        output.write_text("\n".join([text, *header, *lines, verdict]).rstrip() + "\n", encoding="utf-8")
    return int(max(deviations) > LARGEST_DEVIATION or min(ratios) < TARGET_RATIO)


if __name__ == "__main__":
    sys.exit(main())

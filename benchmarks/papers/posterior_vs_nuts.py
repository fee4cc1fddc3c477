"""The metric-error posterior against NUTS in the paper's setting: writes benchmarks/results/posterior.csv.

python benchmarks/papers/posterior_vs_nuts.py [--tables NAME ...] [--chains 5] [--warmup 2000] [--draws 10000] [--write]

numpyro and jax are an oracle here and no dependency of tiebreak; without them this says how to install them.
Compiling is not counted against NUTS: a first run of the same shapes fills a compilation cache, and the little that
tracing and reading the cache still take in the runs that count is measured by jax and subtracted.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

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
        "  nuts-venv/bin/python benchmarks/papers/posterior_vs_nuts.py"
    )

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # `benchmarks` is no installed package

from benchmarks.results import CACHE, REPOSITORY, RESULTS, Value, machine, write_rows

GOLDEN = REPOSITORY / "tests" / "kernels" / "golden" / "metric_error.json"
HEADER = (
    *("table", "reference", "nuts", "nuts error", "tiebreak", "tiebreak error", "deviation"),
    *("nuts cpu s", "tiebreak cpu s", "ratio", "ratio at equal error"),
)
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


def row(case: dict[str, Any], sampled: Answer, ours: Answer) -> tuple[Value, ...]:
    """Deviation: the difference over the combined standard error. Ratio at equal error: if NUTS ran on until its
    standard error is tiebreak's.
    """
    combined = math.hypot(sampled.error, ours.error)
    deviation = abs(sampled.theta - ours.theta) / combined if combined else 0.0
    ratio = sampled.cpu_seconds / ours.cpu_seconds
    thetas = (case["theta"], sampled.theta, sampled.error, ours.theta, ours.error)
    times = (sampled.cpu_seconds, ours.cpu_seconds, ratio, ratio * (sampled.error / ours.error) ** 2)
    return case["name"], *thetas, deviation, *times


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


def compare(cases: list[dict[str, Any]], arguments: argparse.Namespace) -> Iterator[tuple[Value, ...]]:
    """Rows of the table, printed as they come."""
    clock = PreparationClock()
    samplers: dict[int, MCMC] = {}
    for case in cases:
        classes = len(case["human_only"])
        if classes not in samplers:
            samplers[classes] = sampler_for(arguments)
            nuts(samplers[classes], case, arguments.seed + 1, clock)  # compiles
        found = row(case, nuts(samplers[classes], case, arguments.seed, clock), tiebreak(case))
        print(found, flush=True)
        yield found


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="+", default=list(TABLES), help="names in the golden file")
    parser.add_argument("--chains", type=int, default=5)
    parser.add_argument("--warmup", type=int, default=2_000)
    parser.add_argument("--draws", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write benchmarks/results/posterior.csv")
    return parser.parse_args()


def main() -> int:
    arguments = parsed_arguments()
    cases = json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]
    by_name = {case["name"]: case for case in cases}
    unknown = [name for name in arguments.tables if name not in by_name]
    if unknown:
        sys.exit(f"no table is called {', '.join(unknown)}; there are {', '.join(by_name)}")
    with tempfile.TemporaryDirectory() as cache:
        jax.config.update("jax_compilation_cache_dir", cache)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        rows = list(compare([by_name[name] for name in arguments.tables], arguments))
    folder = RESULTS if arguments.write else CACHE / "results"
    command = "python benchmarks/papers/posterior_vs_nuts.py --write"
    print(write_rows("posterior", HEADER, rows, command, machine("numpyro"), folder))
    deviations, ratios = ([float(row[HEADER.index(name)] or 0.0) for row in rows] for name in ("deviation", "ratio"))
    return int(max(deviations) > LARGEST_DEVIATION or min(ratios) < TARGET_RATIO)


if __name__ == "__main__":
    sys.exit(main())

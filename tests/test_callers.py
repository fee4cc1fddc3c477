"""Nothing in `src` is without a caller in `src`: what only tests or benchmarks use belongs to them, or goes."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from tiebreak.rules.registry import LINES

SOURCE = Path(__file__).parents[1] / "src"

KEPT = {
    "tiebreak.cli.summary.summary": "results load it by its name",
    "tiebreak.checks.all_checks.CATALOGUE": "the page of warnings is made from it",
    "tiebreak.kernels.partial_order.error_counts": "reproduces a table of Metric-error correction",
    "tiebreak.kernels.reproduced.hoeffding_crossings": "reproduces the published form of the rule",
    "tiebreak.scoring.evaluator.following.StopByEvaluator": "users give it to transformers' Trainer",
    "tiebreak.simulate.engines.engine.simulate_pair": "reproduces the tables of Dynamic Human Evaluation",
    "tiebreak.simulate.engines.engine.run_matrices": "the certification runs many pairs by it",
    "tiebreak.simulate.people.crowd.capable_workers": "the people of Dynamic Human Evaluation",
    "tiebreak.simulate.people.workers.difficulties": "the items of Dynamic Human Evaluation",
    "tiebreak.simulate.people.metrics.IDEAL_MIXTURE": "the metric of Metric-error correction's simulation",
    "tiebreak.simulate.replay.votes_of": "reproduces Dynamic Human Evaluation from its labels",
}
"""What nothing in `src` calls, and why it stays."""

KEPT |= {f"{line.module}.RULE": "the registry loads it by its name" for line in LINES.values()}


@dataclass(frozen=True)
class Module:
    """A source file: `defined` maps its public names of top level to the nodes that define them."""

    name: str
    is_package: bool
    tree: ast.Module
    defined: dict[str, ast.stmt]

    @cached_property
    def imports(self) -> tuple[tuple[str, str, str], ...]:
        """(module, name, name here) of every `from module import name` of tiebreak, wherever it stands."""
        return tuple(
            (node.module, alias.name, alias.asname or alias.name)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tiebreak")
            for alias in node.names
        )

    def attributes(self) -> set[tuple[str, str]]:
        """(name, attribute) of every `name.attribute`."""
        return {
            (node.value.id, node.attr)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        }

    def names_outside(self, definition: ast.stmt | None) -> set[str]:
        """Names that stand anywhere in the file but in this definition."""
        within = next((names for node, names in self.names_by_statement if node is definition), set())
        return {name for name, statements in self.statements_with.items() if statements > (name in within)}

    @cached_property
    def names_by_statement(self) -> tuple[tuple[ast.stmt, set[str]], ...]:
        """The statements of top level, each with the names in it."""
        return tuple((top, {node.id for node in ast.walk(top) if isinstance(node, ast.Name)}) for top in self.tree.body)

    @cached_property
    def statements_with(self) -> Counter[str]:
        """How many statements of top level each name stands in."""
        return Counter(name for _, names in self.names_by_statement for name in names)

    def is_registered(self, definition: ast.stmt) -> bool:
        """Whether a decorator hands the definition to something else, as `@app.command()` does."""
        return any(isinstance(node, ast.Call | ast.Attribute) and isinstance(_called(node), ast.Attribute)
                   for node in getattr(definition, "decorator_list", []))  # fmt: skip


def _called(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


@cache
def modules() -> dict[str, Module]:
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found[name] = Module(name, is_package, tree, dict(_definitions(tree)))
    return found


def _definitions(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names = [node.target.id]
        else:
            names = []
        yield from ((name, node) for name in names if not name.startswith("_"))


def home_of(module: str, name: str) -> tuple[str, str]:
    """Where a name that is imported from a package is defined, through any number of re-exports."""
    while module in modules() and name not in modules()[module].defined:
        origin = next(((source, own) for source, own, here in modules()[module].imports if here == name), None)
        if origin is None or origin[0] == module:
            break
        module, name = origin
    return module, name


def public_api() -> set[tuple[str, str]]:
    """What `import tiebreak` offers, with the modules `tiebreak.plots` and `tiebreak.report`."""
    packages = [modules()[name] for name in ("tiebreak", "tiebreak.plots", "tiebreak.report")]
    return {home_of(module, name) for package in packages for module, name, _ in package.imports}


def used() -> set[tuple[str, str]]:
    """What a module imports in order to use it, as `from module import name` or `from package import module`."""
    found = set()
    for user in modules().values():
        attributes, names = user.attributes(), user.names_outside(None)
        for module, name, here in user.imports:
            if not user.is_package or here in names:  # a package that only hands it on is no user
                found.add(home_of(module, name))
            found |= {(f"{module}.{name}", attribute) for value, attribute in attributes if value == here}
    return found


def loaded_by_place() -> set[tuple[str, str]]:
    """What is named as `"module:name"`, such as the commands."""
    places = (str(node.value) for module in modules().values() for node in ast.walk(module.tree) if _is_place(node))
    return {(module, name) for module, _, name in (place.partition(":") for place in places)}


def _is_place(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and bool(re.fullmatch(r"tiebreak[\w.]*:\w+", str(node.value)))


def without_caller() -> set[str]:
    called = used() | public_api() | loaded_by_place()
    return {
        f"{module.name}.{name}"
        for module in modules().values()
        for name, node in module.defined.items()
        if (module.name, name) not in called
        and name not in module.names_outside(node)
        and not module.is_registered(node)
    }


def test_everything_in_src_has_a_caller_in_src() -> None:
    assert len(modules()) > 200  # the search still finds them
    assert without_caller() == set(KEPT)


def test_the_search_finds_what_nobody_calls() -> None:
    """A definition that calls itself, and an import that only re-exports it, are no callers."""
    tree = ast.parse("def alone() -> None:\n    alone()\n\n\ndef called() -> None: ...\n\n\nX = called()\n")
    module = Module("tiebreak.x", False, tree, dict(_definitions(tree)))
    assert {name: name in module.names_outside(node) for name, node in module.defined.items()} == {
        "alone": False, "called": True, "X": False,
    }  # fmt: skip
    assert home_of("tiebreak.campaign", "State") == ("tiebreak.campaign.state", "State")
    assert home_of("tiebreak.plots", "matrix") == ("tiebreak.report.figures.intervals", "matrix")

"""What files say, as a study or as rows for one that exists.

What cannot be meant, whatever a recipe says: refused with the reason and what to change.

`tiebreak.read_csv`: what `tiebreak import` makes of files, as a study in memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, Final, Protocol

import polars as pl

from tiebreak.data.provenance import SIGNATURES_FILE, Meaning, not_known, read_signatures
from tiebreak.data.readers import read_study
from tiebreak.data.schema import LABEL_TABLES, NEEDED, NUMBERS, TABLES, TableName
from tiebreak.data.settings import Scalar, StudySettings, SystemSettings, checkpoints_by_name, in_one_run
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, TiebreakError, UsageError
from tiebreak.importers.collected import Collected
from tiebreak.importers.entries import ItemSource, Reading, Skipped
from tiebreak.importers.plans import RECIPES, FilePlan, ReadOptions, plan_files, refuse_open
from tiebreak.importers.recipe import COLUMN, FILE, Recipe, recipe_text
from tiebreak.tabular.cells import whole_characters
from tiebreak.tabular.source import Place


@dataclass(frozen=True, slots=True)
class Imported:
    """A checked study that is not written yet, and what a user should know about how it came about.

    `assumptions`: sentences about what the files do not say.
    """

    study: Study
    plans: tuple[FilePlan, ...]
    readings: tuple[Reading, ...]
    skipped: tuple[Skipped, ...]
    assumptions: tuple[str, ...]

    def write_recipes(self, folder: Path) -> None:
        """Keep the recipes in the folder of the study."""
        described = [plan for plan in self.plans if plan.draft is not None]
        if described:
            (folder / RECIPES).mkdir(exist_ok=True)
        for plan in described:
            name = whole_characters(Path(plan.file).name.replace("#", "-"))
            names = (f"{name}.toml", *(f"{name}-{number}.toml" for number in range(2, len(described) + 2)))
            path = next(path for own in names if not (path := folder / RECIPES / own).exists())
            path.write_text(recipe_text(plan.recipe, about=name), "utf-8")


@dataclass(frozen=True, slots=True)
class ImportedRows:
    """What files say, as rows of a study's tables that are not checked yet, for a study that exists already.

    Items that come from inputs have made-up names, in the order of their rows. `unnamed`: labels that name nobody.
    `systems`: which checkpoint each is, where the files say it; one without a run is of the only one. `signatures`:
    what those of the rows stand for, as far as the files' folders say it. `place` gives the problem that a name (of an
    item, system, ...) is where it stands first in the files.
    """

    tables: Mapping[TableName, pl.DataFrame]
    items_by: ItemSource
    unnamed: int
    systems: Mapping[str, SystemSettings]
    signatures: Mapping[str, Meaning]
    readings: tuple[Reading, ...]
    skipped: tuple[Skipped, ...]
    place: Callable[[str, str, str], Problem]


def collect(plans: Sequence[FilePlan]) -> Collected:
    """What all files say, those that name items first, as others may go by their inputs.

    Raises:
        InputError: all problems of all files.
    """
    collected = Collected()
    by_item = sorted(plans, key=lambda plan: plan.format is None and "item" not in plan.recipe.fields)
    for plan in sorted(by_item, key=lambda plan: not plan.is_key):
        for sheet in plan.sheets:
            if sheet.headers_again:
                collected.left_out(sheet.source, "rows that repeat the header", sheet.headers_again)
            for part, count in sheet.unread:
                collected.left_out(sheet.source, part, count)
        for entry in plan.entries():
            collected.add(entry)
    collected.finish()
    recipes = {plan.file: plan.recipe for plan in plans if plan.draft is not None}
    exact = any(plan.draft is None for plan in plans)  # a format knows what its texts are
    if problems := list(_unlikely(collected, recipes, texts=not exact)):
        raise InputError(problems)
    return collected


def imported(plans: Sequence[FilePlan], name: str) -> Imported:
    """The study of all files; `name` is the study's.

    Raises:
        InputError: every problem of every file, each with file, row, column and value.
        TiebreakError: the files hold no outputs and no labels.
    """
    collected = collect(plans)
    study = _study(collected, name).with_signatures(_signatures(plans, collected))
    return Imported(study, tuple(plans), collected.readings, collected.skipped, tuple(_assumptions(plans, collected)))


def rows_of(plan: FilePlan) -> ImportedRows:
    """The rows of the files of one plan, for a study that exists.

    Raises:
        InputError: every problem of the files.
    """
    collected = collect([plan])

    def place(name: str, value: str, message: str) -> Problem:
        columns = plan.recipe.columns_of(name)
        column = columns[0] if len(columns) == 1 and not columns[0].startswith(":") else None
        return collected.problem_of(name, value, message, file=plan.file, column=column)

    return ImportedRows(
        tables=_tables(collected),
        items_by="input" if collected.made else "column",
        unnamed=collected.unnamed,
        systems=_systems_told(collected),
        signatures=_signatures([plan], collected),
        readings=collected.readings,
        skipped=collected.skipped,
        place=place,
    )


def _assumptions(plans: Sequence[FilePlan], collected: Collected) -> Iterator[str]:
    for plan in plans:
        for sheet in plan.sheets:
            yield from sheet.remarks
        if plan.format is not None and (remark := plan.format.remark(plan.sources)):
            yield remark
    if collected.made:
        yield f"No item column: each distinct input is one item ({len(collected.made):,}: item0001, item0002, ...)."
    if collected.unnamed:
        yield "The files do not say who labelled: repeated labels of one output are by annotator1, annotator2, ..."
    if collected.in_both_orders:
        yield "The judge answers about pairs in both orders: system_a is taken to be the one shown first."


def _signatures(plans: Sequence[FilePlan], collected: Collected) -> dict[str, Meaning]:
    """What the signatures of rows stand for, by the signatures beside each file."""
    made = {str(row["signature"]) for rows in collected.rows.values() for row in rows if row.get("signature")}
    meanings: dict[str, Meaning] = {}
    for folder in {source.path.parent for plan in plans for source in plan.sources} if made else ():
        new = {name: meaning for name, meaning in read_signatures(folder).items() if name in made}
        meanings |= not_known(meanings, new, str(folder / SIGNATURES_FILE))
    return meanings


def _tables(collected: Collected) -> dict[TableName, pl.DataFrame]:
    """A frame for each table of which there are rows; items only where anything is said of them."""
    items = list(collected.items.values()) if any(len(row) > 1 for row in collected.items.values()) else []
    if any("references" in row for row in items):
        for row in items:
            if "reference" in row:
                row["references"] = (row.pop("reference"),)
    rows = {**collected.rows, "items": items}
    return {table: _frame(table, rows[table]) for table in TABLES if rows[table]}


def _frame(table: TableName, rows: list[dict[str, object]]) -> pl.DataFrame:
    spec = TABLES[table]
    stated = [c for c in spec.known if c in spec.required or any(row.get(c) is not None for row in rows)]
    types: dict[str, pl.DataType | type[pl.DataType]] = {
        c: pl.List(pl.String) if c == "references" else pl.Float64 if spec.kind_of(c) in NUMBERS else pl.String
        for c in stated
    }
    return pl.DataFrame({column: [row.get(column) for row in rows] for column in stated}, schema=types)


def _study(collected: Collected, name: str) -> Study:
    frames = _tables(collected)
    if not set(NEEDED) & set(frames):
        left_out = "; ".join(f"{skipped.reason} ({skipped.count:,})" for skipped in collected.skipped)
        beside = "scores, judgements, passages and inputs make no study alone; import them beside outputs or labels"
        nothing = "the files hold no outputs and no labels that count (outcomes and ratings are blank)"
        raise TiebreakError((beside if frames else nothing) + (f". Left out: {left_out}" if left_out else ""))
    systems = _systems_told(collected) or _systems_called(frames)
    return Study.from_tables(**frames, settings=StudySettings(systems=in_one_run(systems)), name=name)


def _systems_told(collected: Collected) -> dict[str, SystemSettings]:
    """What study.toml is to say of each system of which the files say which checkpoint it is; without a run where they
    name none.

    Raises:
        InputError: a step beyond the last.
    """
    settings, problems = {}, []
    for name, stated in collected.trainings.items():
        if not stated.keys() & {"run", "step"}:
            continue
        try:
            settings[name] = _settings(stated)
        except UsageError as error:
            step, place = stated["step"]
            problems.append(place.problem(str(error), "step", str(step)))
    if problems:
        raise InputError(problems)
    named = {name: system.run for name, system in checkpoints_by_name(settings).items()}
    return {name: replace(system, run=system.run or named.get(name)) for name, system in settings.items()}


def _settings(stated: Mapping[str, tuple[Scalar, Place]]) -> SystemSettings:
    prefix = "setting "
    own = {name: value for name, (value, _) in stated.items() if not name.startswith(prefix)}
    settings = {name.removeprefix(prefix): value for name, (value, _) in stated.items() if name.startswith(prefix)}
    return SystemSettings(**own, settings=settings)  # type: ignore[arg-type]


def _systems_called(frames: Mapping[TableName, pl.DataFrame]) -> dict[str, SystemSettings]:
    """The same of systems that are called as checkpoints, where there are several."""
    systems = dict.fromkeys(
        name for table, frame in frames.items() for column in TABLES[table].system_columns for name in frame[column]
    )
    checkpoints = checkpoints_by_name(systems)
    return checkpoints if len(checkpoints) > 1 else {}


_ENOUGH: Final = 3
"""Items on which texts agree before that means anything."""
_CRITERIA: Final = re.compile(
    r"\?|(?<![a-z])(?:fluen|coheren|relevan|consisten|faithful|accura|adequa|helpful|harmless|overall|grammar|natural|"
    r"quality|factual|correct|clarity|style|informative)",
    re.IGNORECASE,
)
_MODELS: Final = re.compile(
    r"(?<![a-z])(?:gpt|claude|gemini|llama|mistral|mixtral|qwen|deepseek|command-r)[-_ ]?\d|chatgpt|llm", re.IGNORECASE
)
_TOTALS: Final = frozenset({"total", "mean", "average", "avg", "median", "sum", "summary", "majority"})
_LONGEST_NAME: Final = 80


def _unlikely(collected: Collected, recipes: Mapping[str, Recipe], *, texts: bool) -> Iterator[Problem]:
    """All of it. `recipes`: by file; `texts`: whether texts are looked at, as recipes say where they stand."""
    if texts:
        yield from _outputs_as_references(collected)
        yield from _same_texts(collected)
    yield from _no_people(collected)
    yield from _totals(collected)
    yield from _criteria_as_people(recipes)
    yield from _files_as_systems(recipes)


def _texts(collected: Collected) -> dict[str, dict[str, str]]:
    texts: dict[str, dict[str, str]] = {}
    for row in collected.rows["outputs"]:
        texts.setdefault(str(row["system"]), {})[str(row["item"])] = str(row["text"])
    return texts


def _outputs_as_references(collected: Collected) -> Iterator[Problem]:
    """One system among several may be the people who wrote the references."""
    outputs = [(item, text) for texts in _texts(collected).values() for item, text in texts.items()]
    same = sum(collected.items.get(item, {}).get("reference") == text for item, text in outputs)
    if same >= _ENOUGH and same == len(outputs):
        message = "every output is the reference of its item: the column of text is that of the reference; change text"
        yield collected.problem_of("system", str(collected.rows["outputs"][0]["system"]), message, column="system")


def _same_texts(collected: Collected) -> Iterator[Problem]:
    texts = list(_texts(collected).items())
    if len(texts) < 2:
        return
    first, own = texts[0]
    shared = [item for item in own if all(item in outputs for _, outputs in texts[1:])]
    different = len({own[item] for item in shared})
    if different >= _ENOUGH and all(len({outputs[item] for _, outputs in texts}) == 1 for item in shared):
        message = f"all systems have the same text on every item ({own[shared[0]]!r}): this is no output; change text"
        yield collected.problem_of("system", first, message, column="system")


def _no_people(collected: Collected) -> Iterator[Problem]:
    """Questions, and models, that stand for annotators."""
    for name in dict.fromkeys(str(row["annotator"]) for table in LABEL_TABLES for row in collected.rows[table]):
        if "?" in name or len(name) > _LONGEST_NAME:
            message = "this is nobody's name; say who labelled: --map annotator=COLUMN"
        elif _MODELS.search(name):
            message = (
                "this is called like a model, whose answers are no labels of people: --map judge=COLUMN; if it is a "
                f"person: --value 'annotator:{name}=NAME'"
            )
        elif name.casefold() in _TOTALS:
            message = "this is a summary of other people's labels; leave it out"
        else:
            continue
        yield collected.problem_of("annotator", name, message, column="annotator")


def _totals(collected: Collected) -> Iterator[Problem]:
    for item in collected.items:
        if item.casefold() in _TOTALS:
            message = "this row sums up others; leave it out with [skip] in a recipe"
            yield collected.problem_of("item", item, message, column="item")


def _criteria_as_people(recipes: Mapping[str, Recipe]) -> Iterator[Problem]:
    for file, recipe in recipes.items():
        if COLUMN not in recipe.columns_of("annotator"):
            continue
        columns = [c for name in ("value", "outcome") for c in recipe.columns_of(name)]
        criteria = [column for column in columns if _CRITERIA.search(column)]
        if criteria:
            message = f'this asks for something and is nobody\'s name: write criterion = "{COLUMN}", and who labelled'
            yield Problem(file, message, column="annotator", value=criteria[0], part="key")


def _files_as_systems(recipes: Mapping[str, Recipe]) -> Iterator[Problem]:
    forms = {file: recipe.columns_of("system") for file, recipe in recipes.items()}
    named = [file for file in forms if any(not form.startswith(":") for form in forms[file])]
    for file in recipes:
        if forms[file] == [FILE] and named:
            message = f"{named[0]} names its systems in a column, so this file may hold no outputs; name the system"
            yield Problem(file, message, column="system", value=FILE, part="key")


File = str | PathLike[str]


class Frame(Protocol):
    """A table of polars or pandas."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""


StudySource = Study | File | Frame
"""What functions take where a study is meant: a study, a folder or file, or a table of preferences or ratings."""


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """How files were read.

    `files`: what each column is; `readings`: what each outcome was read as; `skipped`: what was left out;
    `assumptions`: what the files do not say.
    """

    files: tuple[FilePlan, ...] = ()
    readings: tuple[Reading, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    assumptions: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line for each field that is read, then what was assumed."""
        lines = []
        for plan in self.files:
            lines.append(f"{plan.file}: read by {plan.by}")
            lines += [f"  {name}: {' | '.join(plan.recipe.columns_of(name))}" for name in plan.recipe.fields]
        return "\n".join([*lines, *self.assumptions])


@dataclass(frozen=True, eq=False)
class ImportedStudy(Study):
    """A study read from files of another shape; `plan` says how."""

    plan: ImportPlan = field(default_factory=ImportPlan)


def study_of(source: StudySource) -> Study:
    """The study that is meant: itself, that in a folder or a file, or preferences or ratings in a table in memory.

    Raises:
        UsageError: a table of which it is not known what it holds.
        InputError: there is no study, or something is wrong with it.
    """
    if isinstance(source, Study):
        return source
    if isinstance(source, str | PathLike):
        path = Path(source)
        return read_csv(path, name=path.stem) if path.is_file() and path.stem not in TABLES else read_study(path)
    columns = set(getattr(source, "columns", ()))
    tables: tuple[TableName, ...] = ("preferences", "ratings")
    table = next((name for name in tables if columns >= set(TABLES[name].required)), None)
    if table is None:
        raise UsageError(
            f"{_shown(source)} is no study; read_study and read_csv make one of files, and Study.from_tables of tables"
        )
    return Study.from_tables(**{table: source})  # type: ignore[arg-type]


def read_csv(
    *files: File,
    recipe: File | Sequence[File] = (),
    map: Mapping[str, str] | None = None,  # noqa: A002  (the option's name)
    ignore: Sequence[str] = (),
    values: Mapping[str, Mapping[str, str]] | None = None,
    format: str | None = None,  # noqa: A002  (the option's name)
    name: str = "study",
) -> ImportedStudy:
    """Read files (CSV, TSV, JSON, JSON Lines, Parquet, Excel, or a tool's own) into a study in memory.

    The arguments are the options of `tiebreak import`: `recipe` a file, or several; `map` the column (or `:constant`)
    of each field; `ignore` columns that are not read, `*` for all others; `values` by field what cells mean; `format`
    the tool that wrote the files. For tables in memory: `Study.from_tables`.

    Raises:
        UsageError: no such file, field or column; a column of which it is not known what it is.
        InputError: cells that cannot be read, with file, row, column and value.
    """
    recipes = list(recipe) if isinstance(recipe, Sequence) and not isinstance(recipe, str) else [recipe]
    for option, listed in (("files", files), ("recipe", recipes)):
        wrong = next((path for path in listed if not isinstance(path, str | PathLike)), None)
        if wrong is not None:
            raise UsageError(f"{option}: {_shown(wrong)} is no path; for tables in memory use Study.from_tables")
    if isinstance(ignore, str):
        raise UsageError(f"ignore={ignore!r}: write a list of columns, such as ignore=[{ignore!r}]")
    for option, given in (("map", map), ("values", values)):
        if given is not None and not isinstance(given, Mapping):
            raise UsageError(f"{option}={_shown(given)}: write a dict")
    options = ReadOptions(
        recipes=[str(path) for path in recipes],
        format=format,
        mapped=[f"{field_}={column}" for field_, column in (map or {}).items()],
        ignored=list(ignore),
        values=[
            f"{field_}:{cell}={value}" for field_, cells in (values or {}).items() for cell, value in cells.items()
        ],
    )
    plans = plan_files([str(file) for file in files], options)
    refuse_open(plans)
    result = imported(plans, name)
    plan = ImportPlan(result.plans, result.readings, result.skipped, result.assumptions)
    return ImportedStudy(**{f.name: getattr(result.study, f.name) for f in fields(Study)}, plan=plan)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"

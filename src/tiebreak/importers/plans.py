"""How each of several files is read: by a recipe, by the format that it has, or by a draft of a recipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Final

from tiebreak.data.problems import ProblemLog
from tiebreak.errors import InputError, Problem, UsageError, did_you_mean
from tiebreak.importers.draft import NOTHING_SAID, PAIR_LACKING, Draft, completed, draft_of, rows_within
from tiebreak.importers.entries import Entry
from tiebreak.importers.formats.format import Format
from tiebreak.importers.formats.registry import FORMATS
from tiebreak.importers.recipe import FILE, REST, SUFFIX, Recipe, columns_in, is_in, read_recipe
from tiebreak.importers.shaping import MadeRows, Table, columns_read, entries_of, recode, shapes_of
from tiebreak.numbers import listed_names
from tiebreak.tabular.headers import Sheet
from tiebreak.tabular.source import Source

RECIPES: Final = "recipes"
"""The folder of a study that keeps the recipes of its files."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What is said of files. `recipes`: files of recipes; `known`: the recipes of the study that files are for;
    `format`: the name of the format that all files have; `mapped`, `ignored`, `values`: changes of drafts, as options
    write them.
    """

    recipes: Sequence[str] = ()
    known: Mapping[str, Recipe] = field(default_factory=dict)
    format: str | None = None
    mapped: Sequence[str] = ()
    ignored: Sequence[str] = ()
    values: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class FilePlan:
    """How files are read: several of one tool together, any other alone. `by`: what says so, in words."""

    sources: tuple[Source, ...]
    by: str
    format: Format | None = None
    table: Table | None = None
    draft: Draft | None = None
    values: Mapping[str, Mapping[str, str | int | float | bool]] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """The first of the files."""
        return self.sources[0].file

    @property
    def recipe(self) -> Recipe:
        """The recipe; an empty one where a format says it all."""
        return Recipe() if self.draft is None else self.draft.recipe

    @property
    def sheets(self) -> list[Sheet]:
        """The sheets of spreadsheets and delimited files that no tool wrote."""
        return [source.sheet for source in self.sources if self.format is None and source.sheet is not None]

    @property
    def is_key(self) -> bool:
        """Whether a file says nothing but which two systems an item compares."""
        fields = self.recipe.fields.keys()
        return {"item", "system_a", "system_b"} <= fields and not fields & {"outcome", "wins_a", "text_a"}

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left to be said."""
        return self.draft is None or self.draft.is_whole

    def entries(self) -> Iterator[Entry]:
        """What the files say.

        Raises:
            InputError: a file that cannot be read.
        """
        try:
            if self.table is not None:
                yield from entries_of(self.table, self.recipe)
            elif self.format is not None and self.format.read is not None:
                for entry in self.format.read(self.sources):
                    recode(entry, self.values)
                    yield entry
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
            what = "this file cannot be read" if self.format is None else f"not as {self.format.title} are written"
            raise InputError([Problem(self.file, f"{what} ({error})")]) from error

    def cells_without_value(self) -> Iterator[Problem]:
        """Formulas that were never calculated, and error values, but for those of columns that are ignored."""
        ignored = self.recipe.ignore
        read = columns_read(self.table, self.recipe) if self.table is not None and REST in ignored else None
        for sheet in [source.sheet for source in self.sources if source.first]:  # archives of tools are no workbooks
            for column, problem in () if sheet is None else sheet.wrong:
                if column not in ignored and (read is None or column in read):
                    yield problem


def plan_files(files: Sequence[str], options: ReadOptions | None = None) -> tuple[FilePlan, ...]:
    """How files will be read: by a recipe that is named or lies beside a file, by the format that it has, by a recipe
    of the study that fits, or by a draft, which may leave columns open.

    Raises:
        UsageError: no such file, format or field; an option that says nothing.
        InputError: a file that cannot be read, or a recipe that does not fit.
    """
    options = options or ReadOptions()
    if not files:
        raise UsageError("name at least one file to import")
    repeated = next((file for file in files if list(files).count(file) > 1), None)
    if repeated is not None:
        raise UsageError(f"{repeated} is named twice")
    recipes = {path: read_recipe(Path(path)) for path in options.recipes}
    log = ProblemLog()
    sources: list[Source] = []
    for file in files:
        with log.taking_over():
            source = Source(file)
            _ = source.document  # a damaged one is told of here, and not by a format that looks at it
            sources.append(source)
    plans: list[FilePlan] = []
    for format_, group in _grouped(sources, options, recipes):
        with log.taking_over():
            plans.append(_planned(group, format_, recipes, options))
    log.raise_if_any()
    if problems := [problem for plan in plans for problem in plan.cells_without_value()]:
        raise InputError(problems)
    if problems := [*_unused(recipes, plans), *_namesakes(plans)]:
        raise InputError(problems)
    _check_columns(plans, options)
    order = {source.file: number for number, source in enumerate(sources)}
    return tuple(sorted(_with_keys(plans), key=lambda plan: order[plan.file]))


def _namesakes(plans: Sequence[FilePlan]) -> Iterator[Problem]:
    """Files of one name in two folders, where the name says who or what."""
    seen: dict[str, str] = {}
    for plan in plans:
        if any(FILE in plan.recipe.columns_of(name) for name in plan.recipe.fields):
            for source in plan.sources:
                other = seen.setdefault(source.stem, source.file)
                if other != source.file:
                    yield Problem(source.file, f"{other} has the same name, which would be one name for both; say it")


def _check_columns(plans: Sequence[FilePlan], options: ReadOptions) -> None:
    """Raise UsageError for an option that names a column which no file has, or files whose format says it all."""
    tables = [plan.table for plan in plans if plan.table is not None]
    columns = {column for table in tables for column in table.columns}
    named = [option.partition("=")[2].strip() for option in options.mapped]
    for column in (*named, *options.ignored):
        if not is_in(column, columns) and column != REST:
            listed = f"; they have {', '.join(sorted(columns)[:20])}" if columns else ""
            raise UsageError(f"no file has a column {column!r}{did_you_mean(column, columns) or listed}")
    if (options.mapped or options.ignored) and not tables:
        raise UsageError(f"--map and --ignore are for tables, and these files are read by {plans[0].by}")


def _with_keys(plans: Sequence[FilePlan]) -> list[FilePlan]:
    """Votes need not name their systems where another file does, by item."""
    keys = [plan for plan in plans if plan.is_key]
    votes = [plan for plan in plans if plan.draft is not None and PAIR_LACKING in plan.draft.lacking]
    whole = []
    for plan in plans:
        settled = {NOTHING_SAID} if plan in keys and votes else {PAIR_LACKING} if plan in votes and keys else set[str]()
        if settled and plan.draft is not None:
            left = tuple(what for what in plan.draft.lacking if what not in settled)
            plan = replace(plan, draft=replace(plan.draft, lacking=left))
        whole.append(plan)
    return whole


def _grouped(
    sources: Sequence[Source], options: ReadOptions, recipes: Mapping[str, Recipe]
) -> Iterator[tuple[Format | None, tuple[Source, ...]]]:
    """Files of known formats, those of one tool together; and each of the others. A recipe for a file goes before the
    format that says all of it.
    """
    left = list(sources)
    for format_ in FORMATS if options.format is None else (format_named(options.format),):
        own = [source for source in left if options.format is not None or format_.fits(source)]
        if format_.rows is None and options.format is None:
            own = [source for source in own if not _is_described(source, recipes)]
        if own:
            own += [source for source in left if source not in own and format_.beside(source)]
            left = [source for source in left if source not in own]
            yield format_, tuple(own)
    for source in left:
        yield None, (source,)


def _is_described(source: Source, recipes: Mapping[str, Recipe]) -> bool:
    """Whether a recipe lies beside the file, or one that is named fits it."""
    if source.is_folder or (source.is_zip and source.path.suffix == ".eval"):
        return False
    return recipe_beside(source).is_file() or any(_fitting(source, recipe) is not None for recipe in recipes.values())


def _fitting(source: Source, recipe: Recipe, made: MadeRows | None = None) -> Table | None:
    """The rows of a file, if the recipe fits it."""
    try:
        table = Table(source, recipe, made)
        shapes_of(table, recipe)
    except InputError:
        return None
    return table


def _planned(
    sources: tuple[Source, ...], format_: Format | None, recipes: Mapping[str, Recipe], options: ReadOptions
) -> FilePlan:
    """Files by their format, by a recipe that fits, or by a draft."""
    source, make = sources[0], None if format_ is None else format_.rows
    if format_ is not None and make is None:
        values = Recipe().with_options((), (), options.values, ()).values
        return FilePlan(sources, f"the format {format_.name}", format=format_, values=values)
    if format_ is None and (source.is_folder or (source.is_zip and source.path.suffix == ".eval")):
        raise InputError([Problem(source.file, "of no tool that is known; name the files in it")])
    made = None if make is None else partial(make, sources)
    described: list[tuple[bool, int, FilePlan]] = []
    own_file = recipe_beside(source)
    candidates = dict(recipes)
    if not source.is_folder and own_file.is_file() and not recipes:
        candidates[str(own_file)] = read_recipe(own_file)
    for path, recipe in (candidates | dict(options.known)).items():
        beside = path == str(own_file)
        table = Table(source, recipe, made) if beside else _fitting(source, recipe, made)
        if table is not None:
            edited = recipe.with_options(options.mapped, options.ignored, options.values, table.columns)
            draft = completed(table, edited)
            if draft.is_whole or beside or path in recipes:
                plan = FilePlan(sources, path, format=format_, table=table, draft=draft)
                described.append((path in recipes, len(columns_read(table, edited)), plan))
    if described:  # the one that reads the most
        return max(described, key=itemgetter(0, 1))[2]
    known = Recipe() if format_ is None else format_.recipe
    table = Table(source, known, made)
    if format_ is None and (rows := rows_within(table)):
        known = replace(known, rows=rows)
        table = Table(source, known)
    own = {name: form for name, form in known.fields.items() if set(columns_in(form)) <= set(table.columns)}
    drafted = replace(known, fields=own).with_options(options.mapped, options.ignored, options.values, table.columns)
    by = "a draft" if format_ is None else f"the format {format_.name}"
    draft = draft_of(table, drafted)
    if not draft.is_whole:
        draft = replace(draft, lacking=(*draft.lacking, *_nearly_described(options.known, table.columns)))
    return FilePlan(sources, by, format=format_, table=table, draft=draft)


def _nearly_described(known: Mapping[str, Recipe], columns: Sequence[str]) -> Iterator[str]:
    """Which columns the recipe of a study misses, of which the file has the most."""
    named = {path: {c for form in recipe.fields.values() for c in columns_in(form)} for path, recipe in known.items()}
    path = max(named, key=lambda path: len(named[path] & set(columns)), default="")
    if path and (missed := sorted(named[path] - set(columns))) and named[path] & set(columns):
        yield f"{listed_names(missed)}, which {path} reads: the file has no such column; was it renamed?"


def _unused(recipes: Mapping[str, Recipe], plans: Sequence[FilePlan]) -> list[Problem]:
    """Recipes that were named and fit no file, with what they name and no file has."""
    used = {plan.by for plan in plans}
    problems: list[Problem] = []
    for path, recipe in recipes.items():
        described = next((plan for plan in plans if plan.table is not None), None)
        if path in used or described is None:
            continue
        try:
            shapes_of(Table(described.sources[0], recipe), recipe)
            problems.append(Problem(path, "another recipe was used for each file that this one fits"))
        except InputError as error:
            problems += [Problem(path, f"fits no file: {problem}") for problem in error.problems]
    return problems


def format_named(name: str) -> Format:
    """The format of this name.

    Raises:
        UsageError: there is none.
    """
    known = {format_.name: format_ for format_ in FORMATS}
    if name not in known:
        raise UsageError(f"no format {name!r}{did_you_mean(name, known) or '; formats are ' + ', '.join(known)}")
    return known[name]


def recipes_in(study: Path) -> dict[str, Recipe]:
    """The recipes that a study keeps, by their paths."""
    return {str(path): read_recipe(path) for path in sorted((study / RECIPES).glob("*.toml"))}


def recipe_beside(source: Source) -> Path:
    """Where the recipe of a file lies, if it has one."""
    return source.path.with_name(source.path.name + SUFFIX)


def refuse_open(plans: Iterable[FilePlan]) -> None:
    """Raise UsageError for drafts that leave something open, with all of it."""
    lines = []
    for plan in plans:
        if plan.draft is not None and not plan.is_whole:
            lines.append(f"{plan.file}: it is not known what these are:")
            lines += [f"  column {column} ({example})" for column, example in plan.draft.open.items()]
            lines += [f"  {what}" for what in plan.draft.lacking]
    if lines:
        cure = (
            "Say it with the options --map FIELD=COLUMN and --ignore COLUMN of tiebreak import, or in a recipe; "
            "in Python Study.from_tables takes tables that are made otherwise."
        )
        raise UsageError("\n".join([*lines, cure]))

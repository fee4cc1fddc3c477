"""What the user says of columns is obeyed or refused with a reason, and what a plan advises does work."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from tests.importers.raw_files.drawing import draw
from tests.importers.raw_files.reading import save

from tiebreak.errors import TiebreakError, UsageError
from tiebreak.importers.importer import Proposal
from tiebreak.importers.spreadsheet.fields import SEVERAL_COLUMNS, TARGETS
from tiebreak.importers.tables import TABLES_IMPORTER, TableSettings

OPTION = re.compile(r"--map ('[^']*'|[^\s;]+)")


def files(folder: Path, first: int, count: int) -> Iterator[tuple[int, Path]]:
    for number in range(first, first + count):
        yield number, save(draw(number), folder, number)


def plan(path: Path, *said: str) -> Proposal:
    return TABLES_IMPORTER.read([str(path)], TableSettings(columns=said))


def read_as(proposal: Proposal) -> dict[str, tuple[str, ...]]:
    """The columns of each target; the texts and numbers of systems under one name, however they are laid out."""
    found = {field.target: field.columns for field in proposal.files[0].fields}
    sides = (*found.pop("text_a", ()), *found.pop("text_b", ()))
    found["text"] = tuple(sorted((*found.get("text", ()), *sides)))
    found["value"] = (*found.get("value", ()), *found.pop("score", ()))
    return found


def test_columns_that_the_user_names_are_what_he_says(tmp_path: Path) -> None:
    obeyed = 0
    for number, path in files(tmp_path, 8_000_000, 150):
        random, names = Random(number), [" ".join(name.split()) for name in draw(number).table]
        target = random.choice(["text", *TARGETS])
        count = 2 if target in SEVERAL_COLUMNS and len(names) > 1 else 1
        said = random.sample(names, count)
        with contextlib.suppress(UsageError):
            found = read_as(plan(path, f"{target}={'|'.join(said)}"))
            others = {column for other, columns in found.items() if other != "ignore" for column in columns}
            told = {"text_a": "text", "text_b": "text", "score": "value"}.get(target, target)
            assert not others & {*said} if target == "ignore" else {*said} <= {*found[told]}
            obeyed += 1
    assert obeyed > 50


def test_advice_does_work_when_it_is_followed(tmp_path: Path) -> None:
    followed = 0
    for _, path in files(tmp_path, 9_000_000, 150):
        with contextlib.suppress(TiebreakError):
            doubts = plan(path).files[0].doubts
            for doubt in doubts:
                for option in OPTION.findall(doubt.cure):
                    (said,) = shlex.split(option.rstrip(","))
                    if "COLUMN" in said or "NAME" in said or said.startswith("ignore="):
                        continue
                    assert doubt.reason not in [other.reason for other in plan(path, said).files[0].doubts]
                    followed += 1
    assert followed > 30


TABLE = (
    "id,prompt,model_1,model_2,out one,out two,third,better,worker\n"
    "1,hi,x,y,t1 a,t2 b,t7 g,model_1,me\n2,ho,y,x,t3 c,t4 d,t8 h,model_2,me\n3,hu,x,y,t5 e,t6 f,t9 i,model_2,me\n"
)


def written(folder: Path, table: str) -> Path:
    path = folder / "votes.csv"
    path.write_text(table, encoding="utf-8")
    return path


@pytest.mark.parametrize("said", ["text=out one|out two", "text=out two|out one", "text_a=out one,text_b=out two"])
def test_two_texts_beside_names_of_systems_are_theirs(said: str, tmp_path: Path) -> None:
    made = plan(written(tmp_path, TABLE), said).build("s")
    assert made.study.outputs is not None
    assert made.study.outputs.filter(item="2").select("system", "text").rows() == [("y", "t3 c"), ("x", "t4 d")]
    assert made.study.notices == ()


def test_texts_without_sides_stand_as_they_are_said(tmp_path: Path) -> None:
    study = plan(written(tmp_path, TABLE), "text=third|out one").build("s").study
    assert study.outputs is not None
    assert study.outputs.filter(item="1").select("system", "text").rows() == [("x", "t7 g"), ("y", "t1 a")]


def test_names_of_the_columns_are_no_other_systems(tmp_path: Path) -> None:
    """Pairs of columns that have a system's texts each: the names of the systems are the columns'."""
    table = "id,model_a,model_b,gpt,llama,winner\n" + "".join(f"{i},llama,gpt,g{i} x,l{i} x,gpt\n" for i in range(4))
    study = plan(written(tmp_path, table), "text=gpt|llama").build("s").study
    assert study.outputs is not None
    assert study.outputs.filter(item="1").select("system", "text").rows() == [("gpt", "g1 x"), ("llama", "l1 x")]
    assert study.notices == ()


def test_pairs_of_systems_without_texts_beside_texts_of_others_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, TABLE)
    with pytest.raises(UsageError, match=r"model_1 and model_2 would name systems such as x") as refused:
        plan(path, "text=out one|out two|third").refuse_nonsense()
    assert "--map 'ignore=model_1|model_2'" in str(refused.value)
    plan(path, "text=out one|out two|third,ignore=model_1|model_2|better|worker").refuse_nonsense()
    plan(path, "text_a=out one,text_b=third").refuse_nonsense()


def test_one_text_of_a_pair_is_refused_with_what_would_be_right(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--map text=\.\.\.: one text needs the system.*text_a and text_b"):
        plan(written(tmp_path, TABLE), "text=out one")


def test_one_system_of_a_pair_is_no_pair(tmp_path: Path) -> None:
    table = TABLE.replace("model_1,model_2,out", "m,n,out").replace("model", "out")
    with pytest.raises(TiebreakError, match="blank; every row needs its system_b"):
        plan(written(tmp_path, table), "text=out one|out two,system_a=m,outcome=better").build("s")


def test_an_ignored_column_of_what_won_is_ignored(tmp_path: Path) -> None:
    table = "prompt,winner_model,loser_model,winner_response,loser_response\n" + "".join(
        f"Question {i}?,x,y,Text {i} of x.,Text {i} of y.\n" for i in range(4)
    )
    assert "winner_model" in read_as(plan(written(tmp_path, table)))["system_a"]
    refused = r"winner_response and loser_response are texts .* no column says which systems"
    with pytest.raises(UsageError, match=refused):
        plan(written(tmp_path, table), "ignore=winner_model")
    found = read_as(plan(written(tmp_path, table), "ignore=winner_model,text=winner_response|loser_response"))
    assert not found.keys() & {"system_a", "outcome"}


def test_what_one_system_column_can_not_be_about(tmp_path: Path) -> None:
    """Whatever stands for all systems at once beside a column of texts for each."""
    table = "id,gpt answer,llama answer,grave\n" + "".join(f"{i},g{i} x,l{i} x,minor\n" for i in range(4))
    with pytest.raises(UsageError, match="grave would be about a system called votes, after the file"):
        plan(written(tmp_path, table), "severity=grave").refuse_nonsense()

"""What people write for an answer."""

from __future__ import annotations

import re

import pytest

from tiebreak.errors import UsageError
from tiebreak.live.answers import FIRST, SECOND, TIE
from tiebreak.sheets.answer_words import SKIP, parse_answers, words_of


@pytest.mark.parametrize(
    ("cell", "answer"),
    [
        ("First text", FIRST), ("1", FIRST), ("A", FIRST), ("a is better", FIRST), ("Model_A", FIRST), ("left", FIRST),
        ("Erster Text", FIRST), ("PREMIER", FIRST), ("第一", FIRST), ("b", SECOND), ("2.0", SECOND), ("Text 2", SECOND),
        ("segundo", SECOND), ("right", SECOND), ("tie (both bad)", TIE), ("neither", TIE), ("Unentschieden!", TIE),
        ("aucune  différence", TIE), ("kein Unterschied", TIE), ("0", None), ("3", None), ("c", None), ("maybe", None),
        ("A or B", None), ("12", None), ("?", None), ("-", None),
    ],
)  # fmt: skip
def test_words(cell: str, answer: str | None) -> None:
    assert words_of([cell], {}).answer(cell) == answer


OTHER_LANGUAGES = {
    FIRST: """
        erster text, erster, erste, ersterer, links / premier texte, premier, première, gauche / primer texto, primero,
        primera, izquierda / primo testo, primo, sinistra / primeiro texto, primeiro, primeira, esquerda /
        eerste tekst, eerste / pierwszy tekst, pierwszy, lewy / první text, první, vlevo / första texten, första,
        vänster / første tekst, første, venstre / ilk metin, birinci metin, birinci / первый текст, первый, слева /
        перший текст, перший, ліворуч / 第一, 第一个, 第一篇, 左, 左边 / 最初, 첫 번째, 왼쪽""",
    TIE: """
        kein unterschied, gleich, gleich gut, unentschieden, beide gleich / aucune différence, pas de différence,
        égalité, égal, ex aequo / ninguna diferencia, sin diferencia, igual, iguales, empate / nessuna differenza,
        uguale, uguali, pareggio / nenhuma diferença, sem diferença, iguais / geen verschil, gelijk / brak różnicy,
        remis, tak samo / žádný rozdíl, stejné / ingen skillnad / ingen forskjell, ingen forskel / fark yok, eşit /
        нет разницы, одинаково, ничья / немає різниці, однаково / 没有区别, 没有差别, 一样, 平局, 差不多 / 違いなし,
        引き分け, 同じ / 차이 없음, 같음""",
    SECOND: """
        zweiter text, zweiter, zweite, zweiterer, rechts / deuxième texte, deuxième, second texte, droite /
        segundo texto, segundo, segunda, derecha / secondo testo, secondo, destra / direita / tweede tekst, tweede /
        drugi tekst, drugi, prawy / druhý text, druhý, vpravo / andra texten, andra, höger / anden tekst, andre tekst,
        høyre, højre / ikinci metin, ikinci / второй текст, второй, справа / другий текст, другий, праворуч / 第二,
        第二个, 第二篇, 右, 右边 / 두 번째, 오른쪽""",
}


@pytest.mark.parametrize("answer", OTHER_LANGUAGES)
def test_words_of_other_languages(answer: str) -> None:
    """As `import` reads them, which knows what a judgement of two texts is called."""
    words = [" ".join(word.split()) for word in re.split("[,/]", OTHER_LANGUAGES[answer])]
    assert [words_of([word], {}).answer(word.upper()) for word in words] == [answer] * len(words)


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["1", "1"], [FIRST, FIRST]),
        (["1", "2", "0"], [FIRST, SECOND, TIE]),
        (["0", "1"], [None, None]),  # from 0, or a tie and the first text
        (["-1", "0", "1", "2"], [None] * 4),
        (["+1", "2"], [None, None]),
        (["0", "left"], [None, FIRST]),
    ],
)
def test_numbers_are_read_where_they_can_mean_one_thing_only(cells: list[str], read: list[str | None]) -> None:
    words = words_of(cells, {})
    assert [words.answer(cell) for cell in cells] == read


def test_what_is_said_of_numbers_goes_before_all_else() -> None:
    given = parse_answers(["0=first,1=second"])
    assert [words_of(["0", "1"], given).answer(cell) for cell in ("0", "1", "2")] == [FIRST, SECOND, SECOND]


def test_options() -> None:
    assert parse_answers(["A wins=first", "x, y=tie", "b=SECOND,no idea=skip"]) == {
        "a wins": FIRST, "x, y": TIE, "b": SECOND, "no idea": SKIP,
    }  # fmt: skip


@pytest.mark.parametrize("option", ["A wins", "=first", "A wins=third", "a=first,a=second", ""])
def test_what_says_nothing(option: str) -> None:
    with pytest.raises(UsageError, match="--answer"):
        parse_answers([option])

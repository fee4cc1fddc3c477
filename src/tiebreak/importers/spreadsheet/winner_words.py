"""The words in which people say who won, in English and in the languages of surveys: data only.

A cell is read word by word: a side (`A`, `2nd`, `linke`), and words that change nothing (`sentence`, `is better`).
"""

from __future__ import annotations

from typing import Final, Literal

from tiebreak.importers.spreadsheet.header_words import header_key, word_set

Side = Literal["a", "b"]


def _keys(words: str) -> frozenset[str]:
    return frozenset(map(header_key, words.split()))


def _sides(words: dict[str, Side]) -> dict[str, Side]:
    return {header_key(word): side for word, side in words.items()}


TIES: Final = _keys(
    "tie tied ties tiebothbad bothbad bothgood tiebothgood both neither equal equallygood equallybad equivalent same "
    "thesame aboutthesame draw nopreference nodifference either similar tieneither botharegood botharebad none "
    "theyarethesame theyareequal theyareequallygood bothsame bothequal "
    "noneofthem nowinner undecided cannotdecide equalquality comparable "
    "unentschieden gleich gleichgut gleichschlecht beide beidegut beideschlecht keine keiner keines egal remis "
    "égalité exaequo lesdeux lesdeuxsevalent sevalent aucun aucune pareil identique nul matchnul "
    "empate ambos ambas ninguno ninguna igual iguales "
    "pareggio entrambi entrambe nessuno nessuna uguale uguali parità "
    "nenhum nenhuma iguais empatados "
    "gelijk gelijkspel geen "
    "平局 平手 一样 一样好 相同 都好 都不好 都差 两者都好 两者都不好 不相上下 "
    "引き分け 同じ 同等 両方 どちらも どちらもよい どちらも悪い 違いなし "
    "keinunterschied beidegleich égal aucunedifférence pasdedifférence ningunadiferencia sindiferencia "
    "nessunadifferenza nenhumadiferença semdiferença geenverschil "
    "brakróżnicy taksamo žádnýrozdíl stejné ingenskillnad ingenforskjell ingenforskel farkyok eşit "
    "нетразницы одинаково ничья немаєрізниці однаково 没有区别 没有差别 差不多 차이없음 같음"
)
"""Whole cells that say a tie."""

NO_ANSWERS: Final = word_set("error failed invalid unparsed missing refused refusal timeout unknown $error$")
"""Whole cells in which programs say that there is no answer."""

SIDES: Final = _sides({
    "a": "a", "1": "a", "first": "a", "one": "a",
    "b": "b", "2": "b", "second": "b", "two": "b",
    "erste": "a", "erster": "a", "erstes": "a", "zweite": "b", "zweiter": "b", "zweites": "b",
    "premier": "a", "premiere": "a", "deuxieme": "b", "seconde": "b",
    "primero": "a", "primer": "a", "primera": "a", "segundo": "b", "segunda": "b",
    "primo": "a", "prima": "a", "secondo": "b", "seconda": "b",
    "primeiro": "a", "primeira": "a",
    "eerste": "a", "tweede": "b",
    "第一": "a", "第二": "b", "第一个": "a", "第二个": "b", "甲": "a", "乙": "b", "前者": "a", "后者": "b", "後者": "b",
    "former": "a", "latter": "b", "ersterer": "a", "ersteres": "a", "letzterer": "b", "letzteres": "b",
    "zweiterer": "b",
    "pierwszy": "a", "drugi": "b", "první": "a", "druhý": "b", "första": "a", "andra": "b", "første": "a",
    "anden": "b", "andre": "b", "ilk": "a", "birinci": "a", "ikinci": "b", "первый": "a", "второй": "b",
    "перший": "a", "другий": "b", "第一篇": "a", "第二篇": "b", "最初": "a", "첫": "a", "두": "b",
})  # fmt: skip

SCREEN: Final = _sides({
    "left": "a", "right": "b", "links": "a", "linke": "a", "linker": "a", "linkes": "a", "rechts": "b", "rechte": "b",
    "rechter": "b", "rechtes": "b", "gauche": "a", "droite": "b", "izquierda": "a", "izquierdo": "a", "derecha": "b",
    "derecho": "b", "sinistra": "a", "destra": "b", "esquerda": "a", "direita": "b", "linker kant": "a", "左": "a",
    "右": "b", "左边": "a", "右边": "b", "左側": "a", "右側": "b",
    "lewy": "a", "prawy": "b", "vlevo": "a", "vpravo": "b", "vänster": "a", "höger": "b", "venstre": "a",
    "høyre": "b", "højre": "b", "слева": "a", "справа": "b", "ліворуч": "a", "праворуч": "b",
    "왼쪽": "a", "오른쪽": "b",
})  # fmt: skip
"""Places on a screen; `a` is the left one."""

SECONDS: Final = frozenset(word for word, side in SIDES.items() if side == "b") - {"b", "2", "two"} | {"nd"}
"""What may also be a place in a ranking: `second best` is not the best."""

SUPERLATIVES: Final = _keys("best mejor meilleur meilleure migliore melhor beste")

WINS: Final = word_set(
    "is was are better best wins won win preferred prefer winner superior good clearly much slightly strongly "
    "significantly somewhat far bit little "
    "ist besser gewinnt deutlich etwas viel am besten gut "
    "est meilleur meilleure gagne mieux "
    "es mejor gana mucho "
    "e è migliore vince meglio "
    "é melhor vence ganha "
    "beter wint "
    "更好 好 较好 胜 赢 胜出 比较好 の方が良い が良い のほうが良い の方がよい が勝ち"
)
"""Words that say that the side beside them won."""

THINGS: Final = word_set(
    "the model system response output answer assistant option text candidate completion summary translation sentence "
    "reply version choice item message chatbot bot story headline st nd side one "
    "der die das modell antwort satz ausgabe variante option "
    "le la les l modele modèle réponse reponse phrase sortie "
    "el los modelo respuesta frase salida opción opcion "
    "il lo modello risposta opzione "
    "o os resposta saída opção "
    "de het een antwoord zin "
    "texte texto testo tekst texten metin текст 번째 "
    "模型 回答 答案 系统 选项 句子 模型的回答 モデル 回答が 文 出力 の 个"
)
"""What the sides are called."""

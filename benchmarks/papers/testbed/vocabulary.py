"""Texts as numbers of a byte-pair vocabulary that is learned from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.papers.testbed.pairs import TextPair

PADDING, BEGIN, END = 0, 1, 2
_SPECIAL = ("<padding>", "<begin>", "<end>")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """`size` tokens, of which the first three are special; bytes are tokens, so that any text can be written."""

    tokenizer: Any
    size: int

    @classmethod
    def of(cls, pairs: Sequence[TextPair], size: int = 3000) -> Vocabulary:
        """Learned from the texts of these pairs, at most so many tokens."""
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=size, special_tokens=list(_SPECIAL), initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )  # fmt: skip
        tokenizer.train_from_iterator((text for pair in pairs for text in (pair.source, pair.target)), trainer)
        return cls(tokenizer, tokenizer.get_vocab_size())

    def numbers(self, texts: Sequence[str], most: int) -> list[list[int]]:
        """Of each text its first tokens."""
        return [found.ids[:most] for found in self.tokenizer.encode_batch(list(texts))]

    def text(self, numbers: Sequence[int]) -> str:
        """Up to the first <end>, without bytes that make no character; an ellipsis where nothing is left to see."""
        row = [*numbers, END]
        return str(self.tokenizer.decode(row[: row.index(END)])).replace("\ufffd", "").strip() or "..."

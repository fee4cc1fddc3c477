"""What an evaluator was trained on, as hashes: so that a study can be asked whether its labels were among that."""

from __future__ import annotations

import hashlib
import unicodedata

from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.examples.pairs import Pairs


def context_hash(context: str, texts: tuple[str, ...] = ()) -> str:
    """16 hex digits of a context, or of texts in it whatever their order; equal up to Unicode and outer blanks.

    Without a context the texts alone tell items apart.
    """
    parts = [_plain(context), *sorted(_plain(text) for text in texts)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def pair_hashes(corpus: Corpus, pairs: Pairs) -> list[str]:
    """One per pair of texts, sorted, each once."""
    rows = zip(pairs.context, pairs.a, pairs.b, strict=True)
    found = {context_hash(corpus.contexts[c], (corpus.texts[a], corpus.texts[b])) for c, a, b in rows}
    return sorted(found)


def text_hashes(corpus: Corpus, pairs: Pairs) -> list[str]:
    """One per text that a pair has, with its context: sorted, each once."""
    used = {int(number) for number in pairs.a} | {int(number) for number in pairs.b}
    return sorted({context_hash(corpus.contexts[corpus.context[number]], (corpus.texts[number],)) for number in used})


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip())

"""A BERT of two layers with random weights, for tests of what needs an encoder."""

from __future__ import annotations

from pathlib import Path

WORDS = ("good", "bad", "plain", "the", "a", "cat", "dog", "sun", "rain", "runs", "sleeps", "about", "what", "is", ".")


def make_tiny_encoder(folder: Path) -> str:
    """The folder, filled with the encoder and its tokenizer, which knows WORDS alone."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=64,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        BertModel(config).save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return str(folder)

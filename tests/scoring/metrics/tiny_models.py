"""Small models with random weights, saved as transformers saves them, for tests of what loads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "<s>", "a", "b", "c", "d", "e", "f", "g", ".", "!"]


def save_tokenizer(folder: Path, *, start: bool, pairs: bool) -> None:
    """One word a token; `start`: it has a token for the beginning; `pairs`: [CLS] and [SEP] around texts."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(WordLevel({word: k for k, word in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    if pairs:
        tokenizer.post_processor = TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    names: dict[str, Any] = {"cls_token": "[CLS]", "sep_token": "[SEP]"} if pairs else {}
    if pairs:
        names["model_input_names"] = ["input_ids", "token_type_ids", "attention_mask"]
    if start:
        names["bos_token"] = "<s>"
    made = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", **names)
    made.save_pretrained(folder)


def save_gpt2(folder: Path, *, start: bool = True, longest: int = 16) -> Any:
    """A causal language model that sees so many tokens."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=len(VOCABULARY), n_positions=longest, n_embd=16, n_layer=2, n_head=2, initializer_range=0.5,
        bos_token_id=4 if start else None, eos_token_id=None,
    )  # fmt: skip
    model = GPT2LMHeadModel(config).eval()
    model.save_pretrained(folder)
    save_tokenizer(folder, start=start, pairs=False)
    return model


def save_bert(folder: Path, *, labels: int | None = None, kind: str = "bert") -> Any:
    """An encoder; `labels`: one that gives a pair of texts so many numbers."""
    import torch
    from transformers import (
        BertConfig,
        BertForSequenceClassification,
        BertModel,
        DistilBertConfig,
        DistilBertModel,
    )

    torch.manual_seed(1)
    size = {"vocab_size": len(VOCABULARY), "initializer_range": 0.5}
    if kind == "distilbert":
        model: Any = DistilBertModel(
            DistilBertConfig(dim=16, hidden_dim=32, n_layers=4, n_heads=2, max_position_embeddings=64, **size)
        )
    else:
        config = BertConfig(
            hidden_size=16, intermediate_size=32, num_hidden_layers=4, num_attention_heads=2,
            max_position_embeddings=64, num_labels=labels or 2, **size,
        )  # fmt: skip
        model = BertModel(config) if labels is None else BertForSequenceClassification(config)
    model.eval().save_pretrained(folder)
    save_tokenizer(folder, start=False, pairs=True)
    return model

"""A tiny Qwen2 of random weights in a GGUF file, and what transformers makes of the same weights."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
import torch
import transformers
from tokenizers import pre_tokenizers

from training.decoder import Decoder
from training.replies import BEGIN, END

WIDTH, HEADS, SHARED, INNER, LAYERS = 32, 4, 2, 64, 3


def write_model(path: Path) -> None:
    """Random weights in the names and the form of a Qwen2 GGUF file; one matrix in eight bits."""
    rng = np.random.default_rng(3)
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = ["t h", "th e", "Ġ the"]
    tokens = [*letters, "th", "the", "Ġthe", BEGIN, END]
    writer = gguf.GGUFWriter(path, "qwen2")
    writer.add_block_count(LAYERS)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(SHARED)
    writer.add_rope_freq_base(1e6)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_token_list(tokens)
    writer.add_token_merges(merges)

    def add(name: str, *shape: int, scale: float = 0.2) -> None:
        writer.add_tensor(name, (rng.normal(size=shape) * scale).astype(np.float32))

    add("token_embd.weight", len(tokens), WIDTH, scale=1.0)
    for number in range(LAYERS):
        block, shared = f"blk.{number}.", WIDTH // HEADS * SHARED
        for name in ("attn_norm", "ffn_norm"):
            add(f"{block}{name}.weight", WIDTH, scale=1.0)
        for name, size in (("attn_q", WIDTH), ("attn_k", shared), ("attn_v", shared)):
            add(f"{block}{name}.weight", size, WIDTH)
            add(f"{block}{name}.bias", size)
        add(f"{block}attn_output.weight", WIDTH, WIDTH)
        add(f"{block}ffn_gate.weight", INNER, WIDTH)
        down = (rng.normal(size=(WIDTH, INNER)) * 0.2).astype(np.float32)
        kind = gguf.GGMLQuantizationType.Q8_0
        writer.add_tensor(f"{block}ffn_down.weight", gguf.quants.quantize(down, kind), raw_dtype=kind)
        add(f"{block}ffn_up.weight", INNER, WIDTH)
    add("output_norm.weight", WIDTH, scale=1.0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def reference(network: Decoder, ids: list[int]) -> torch.Tensor:
    """The last states of the same weights in transformers."""
    shape = network.shape
    config = transformers.Qwen2Config(
        vocab_size=shape.vocab, hidden_size=shape.width, intermediate_size=shape.inner, num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads, num_key_value_heads=shape.shared, rms_norm_eps=shape.eps,
        rope_parameters={"rope_type": "default", "rope_theta": shape.base},
    )  # fmt: skip
    model = transformers.Qwen2Model(config).eval()
    names = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm", "attn_q": "self_attn.q_proj",
             "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
             "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}  # fmt: skip
    state = {"embed_tokens.weight": network.words.weight, "norm.weight": network.norm.weight}
    for key, value in network.layers.state_dict().items():
        number, name, end = key.split(".")
        state[f"layers.{number}.{names[name]}.{end}"] = value
    model.load_state_dict(state)
    with torch.no_grad():
        found: torch.Tensor = model(torch.tensor([ids])).last_hidden_state[0]
    return found

"""Writes the trained network as an ONNX graph, in fp32 or in int8, one sequence at a time, unpadded.

The graph is built by hand from fused operators: no exporter decides its shape, every linear layer is
one node, and weights are quantised per output channel, activations when they are seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

from faithmeter.verify._onnx import ort
from training.model import CLAIM, Network, buckets
from training.rows import Row
from training.tokens import Loaded, encode_rows, load_tokenizer, translate

MS = "com.microsoft"
Array = np.ndarray[tuple[int, ...], np.dtype[np.float32]]
Part = Callable[[str, str], str]


class Graph:
    """Nodes and constants of a graph under construction."""

    def __init__(self, *, int8: bool) -> None:
        self.int8 = int8
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: np.ndarray) -> str:
        """Store a tensor under a name."""
        self.constants.append(numpy_helper.from_array(value.copy(order="C"), name))
        return name

    def node(self, op: str, inputs: list[str], name: str, *, domain: str = "", **attributes: Any) -> str:
        """Add an operator with one output, which takes the operator's name."""
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, domain=domain, **attributes))
        return name

    def linear(self, x: str, weight: Array, bias: Array, name: str) -> str:
        """Multiply by a (out, in) weight and add a bias."""
        offset = self.constant(f"{name}.bias", bias)
        if not self.int8:
            product = self.node("MatMul", [x, self.constant(f"{name}.weight", weight.T)], f"{name}.product")
            return self.node("Add", [product, offset], name)
        quantised, scale = quantise(weight)
        parts = [self.constant(f"{name}.weight", quantised.T), self.constant(f"{name}.scale", scale)]
        return self.node("DynamicQuantizeMatMul", [x, *parts, "", offset], name, domain=MS)

    def table(self, rows: Array, index: str, name: str) -> str:
        """Look rows up, in int8 with one scale per row where the graph is int8."""
        if not self.int8:
            return self.node("Gather", [self.constant(f"{name}.weight", rows), index], name)
        quantised, scale = quantise(rows)
        picked = self.node("Gather", [self.constant(f"{name}.weight", quantised), index], f"{name}.int8")
        scales = self.constant(f"{name}.scale", scale[:, None])
        real = self.node("Cast", [picked], f"{name}.real", to=TensorProto.FLOAT)
        return self.node("Mul", [real, self.node("Gather", [scales, index], f"{name}.scales")], name)


def quantise(rows: Array) -> tuple[np.ndarray, Array]:
    """Round a matrix to int8 with one symmetric scale per row."""
    scale = np.maximum(np.abs(rows).max(axis=1), 1e-8).astype(np.float32) / np.float32(127)
    return np.clip(np.rint(rows / scale[:, None]), -127, 127).astype(np.int8), scale


def export(network: Network, path: Path, *, int8: bool, notes: dict[str, str]) -> None:
    """Write the network to `path`; `notes` become the file's metadata."""
    state = {key: value.detach().float().numpy() for key, value in network.state_dict().items()}
    graph = Graph(int8=int8)
    x = _embed(graph, state, network)
    bias = _bias(graph, state, network)
    for i in range(network.shape.layers):
        x = _layer(graph, state, x, i, network, bias)
    claim = _claim(graph, x)
    for i in range(network.shape.claim_layers):
        claim = _claim_layer(graph, state, claim, i, network)
    _heads(graph, state, x, claim)
    length = "length"
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, [1, length]) for name in ("ids", "segments")]
    outputs = [
        helper.make_tensor_value_info("classes", TensorProto.FLOAT, [1, 3]),
        helper.make_tensor_value_info("tokens", TensorProto.FLOAT, [1, "claim_length"]),
    ]
    body = helper.make_graph(graph.nodes, "faithmeter", inputs, outputs, graph.constants)
    model = helper.make_model(
        body, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(MS, 1)], ir_version=9
    )
    helper.set_model_props(model, notes)
    path.write_bytes(model.SerializeToString(deterministic=True))


def _embed(graph: Graph, state: dict[str, Array], network: Network) -> str:
    zero, one = graph.constant("zero", np.array(0)), graph.constant("one", np.array(1))
    axis = graph.constant("length_axis", np.array([1]))
    shape = graph.node("Shape", ["ids"], "shape")
    length = graph.node("Squeeze", [graph.node("Gather", [shape, axis], "length1")], "length")
    places = graph.node("Range", [zero, length, one], "place_ids")
    words = graph.table(state["words.weight"], "ids", "words")
    rows = state["places.weight"][network.shape.first_position :]
    where = graph.node("Gather", [graph.constant("places.weight", rows), places], "places")
    kind = graph.node("Gather", [graph.constant("kinds.weight", state["segments.weight"]), "segments"], "kinds")
    total = graph.node("Add", [graph.node("Add", [words, kind], "words_kinds"), where], "embedded")
    scale, shift = graph.constant("norm.w", state["norm.weight"]), graph.constant("norm.b", state["norm.bias"])
    return graph.node("LayerNormalization", [total, scale, shift], "norm", epsilon=network.shape.eps)


def _bias(graph: Graph, state: dict[str, Array], network: Network) -> list[str]:
    """What attention adds for the distance of two places: one row a head, one column a distance; nothing for BERT."""
    if not network.shape.buckets:
        return []
    longest = network.shape.positions - network.shape.first_position
    near = buckets(longest, network.shape.buckets).numpy()
    # From the farthest key after the query to the farthest before it.
    by_distance = np.concatenate([near[0, :0:-1], near[:, 0]])
    table = graph.constant("distances.weight", state["relative.weight"][by_distance].T)
    query, key = (
        graph.node("Unsqueeze", ["place_ids", graph.constant(f"{name}_axis", np.array([axis]))], f"{name}_places")
        for name, axis in (("query", 1), ("key", 0))
    )
    distance = graph.node("Sub", [query, key], "distance")
    column = graph.node("Add", [distance, graph.constant("most", np.array(longest - 1))], "distance_column")
    heads = graph.node("Gather", [table, column], "distance_bias", axis=1)
    batch = graph.node("Unsqueeze", [heads, graph.constant("batch_axis", np.array([0]))], "attention_bias")
    return ["", "", batch]  # no bias of q, k and v, and no padding


def _layer(graph: Graph, state: dict[str, Array], x: str, i: int, network: Network, bias: list[str]) -> str:
    linear, norm = _parts(graph, state, f"layers.{i}", f"l{i}", network)
    names = [f"l{i}.{part}" for part in "qkv"]
    graph.nodes.append(helper.make_node("Split", [linear(x, "qkv")], names, axis=2, num_outputs=3))
    mixed = graph.node("MultiHeadAttention", names + bias, f"l{i}.mixed", domain=MS, num_heads=network.shape.heads)
    # Not SkipLayerNormalization: onnxruntime's takes five times as long on a CPU.
    x = norm(graph.node("Add", [linear(mixed, "out"), x], f"l{i}.norm1.sum"), "norm1")
    active = graph.node("Gelu", [linear(x, "up")], f"l{i}.active", domain=MS)
    return norm(graph.node("Add", [linear(active, "down"), x], f"l{i}.norm2.sum"), "norm2")


def _claim(graph: Graph, x: str) -> str:
    """The states of the claim's words, which come first; `rest` are all others."""
    in_claim = graph.node("Equal", ["segments", graph.constant("claim", np.array(CLAIM))], "in_claim")
    ones = graph.node("Cast", [in_claim], "in_claim_ones", to=TensorProto.INT64)
    one_axis = graph.constant("one_axis", np.array([1]))
    graph.node("ReduceSum", [ones, one_axis], "claim_length", keepdims=0)
    first, last = graph.constant("first", np.array([0])), graph.constant("last", np.array([np.iinfo(np.int64).max]))
    graph.node("Slice", [x, "claim_length", last, one_axis], "rest")
    return graph.node("Slice", [x, first, "claim_length", one_axis], "claim_states")


def _claim_layer(graph: Graph, state: dict[str, Array], claim: str, i: int, network: Network) -> str:
    linear, norm = _parts(graph, state, f"claim_layers.{i}", f"c{i}", network)
    own = norm(claim, "norm1")
    every = graph.node("Concat", [own, "rest"], f"c{i}.every", axis=1)
    keys = [f"c{i}.{part}" for part in ("k", "v")]
    graph.nodes.append(helper.make_node("Split", [linear(every, "kv")], keys, axis=2, num_outputs=2))
    inputs = [linear(own, "q"), *keys]
    mixed = graph.node("MultiHeadAttention", inputs, f"c{i}.mixed", domain=MS, num_heads=network.shape.heads)
    claim = graph.node("Add", [linear(mixed, "out"), claim], f"c{i}.read")
    active = graph.node("Gelu", [linear(norm(claim, "norm2"), "up")], f"c{i}.active", domain=MS)
    return graph.node("Add", [linear(active, "down"), claim], f"c{i}.thought")


def _parts(graph: Graph, state: dict[str, Array], of: str, short: str, network: Network) -> tuple[Part, Part]:
    """The linear maps and the norms of one layer, by name."""

    def linear(x: str, part: str) -> str:
        return graph.linear(x, state[f"{of}.{part}.weight"], state[f"{of}.{part}.bias"], f"{short}.{part}")

    def norm(x: str, part: str) -> str:
        weights = [graph.constant(f"{short}.{part}.{end}", state[f"{of}.{part}.{end}"]) for end in ("weight", "bias")]
        return graph.node("LayerNormalization", [x, *weights], f"{short}.{part}", epsilon=network.shape.eps)

    return linear, norm


def _heads(graph: Graph, state: dict[str, Array], x: str, claim: str) -> None:
    """Add the heads in fp32: they are small and decide."""
    cls = graph.node("Gather", [claim, "zero"], "cls", axis=1)
    mean = graph.node("ReduceMean", [x, "one_axis"], "mean", keepdims=0)
    peak = graph.node("ReduceMax", [claim, "one_axis"], "peak", keepdims=0)
    pooled = graph.node("Concat", [cls, mean, peak], "pooled", axis=-1)
    real = Graph(int8=False)
    hidden = real.linear(pooled, state["hidden.weight"], state["hidden.bias"], "hidden")
    real.linear(real.node("Tanh", [hidden], "hidden_tanh"), state["classes.weight"], state["classes.bias"], "classes")
    marks = real.linear(claim, state["tokens.weight"], state["tokens.bias"], "marks")
    real.node("Squeeze", [marks, real.constant("squeeze_axis", np.array([2]))], "tokens")
    graph.nodes += real.nodes
    graph.constants += real.constants


def renumbered(network: Network, own: Tokenizer, other: Tokenizer) -> Network:
    """The same network, its words in the order of another tokenizer that cuts them alike: a graph of it reads that."""
    order = translate(np.arange(other.get_vocab_size()), of=other, to=own)
    same = Network(replace(network.shape, vocab=len(order)))
    same.load_state_dict(network.state_dict() | {"words.weight": network.words.weight.detach()[order]})
    return same.eval()


def open_graph(path: Path, *, threads: int = 1) -> ort.InferenceSession:
    """Open an exported graph."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def read_with(path: Path, tokenizer: Path, rows: Sequence[Row]) -> Array:
    """The class logits of an exported graph, row by row, as the verifier runs it."""
    session = open_graph(path)
    data = Loaded(encode_rows(rows, load_tokenizer(tokenizer)), "cpu")
    classes = np.zeros((len(rows), 3), np.float32)
    for row in range(len(rows)):
        batch = data.batch(np.array([row]), pad=1)
        feed = {"ids": batch.ids.numpy(), "segments": batch.segments.numpy()}
        classes[row] = session.run(["classes"], feed)[0][0]
    return classes


def largest_difference(network: Network, path: Path, *, length: int = 40) -> float:
    """Compare an exported graph with torch on random ids."""
    generator = np.random.default_rng(0)
    ids = generator.integers(1000, 20000, (1, length))
    segments = np.sort(generator.integers(0, 3, (1, length)))
    classes, tokens = open_graph(path).run(None, {"ids": ids, "segments": segments})
    with torch.no_grad():
        mask = torch.ones(1, length, dtype=torch.bool)
        expected = network.eval()(torch.from_numpy(ids), torch.from_numpy(segments), mask)
    found, wanted = (classes, tokens), (expected[0], expected[1][:, : tokens.shape[1]])
    return max(float(np.abs(one - other.numpy()).max()) for one, other in zip(found, wanted, strict=True))

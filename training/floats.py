"""Takes shipped int8 weights back to floats, so that training can go on from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from training.model import SHAPES, Network


def floats(path: Path, shape: str = "minilm") -> Network:
    """The network of an int8 graph that `export` wrote: `weight * scale`, half a step of rounding off at most."""
    constants = {each.name: numpy_helper.to_array(each) for each in onnx.load(path).graph.initializer}
    network = Network(SHAPES[shape])
    names = {"places.weight": "places.weight", "segments.weight": "kinds.weight"}
    names |= {"norm.weight": "norm.w", "norm.bias": "norm.b"}
    state = {}
    for key, value in network.state_dict().items():
        name = names.get(key, key)
        if key.startswith("layers."):
            name = "l" + key.removeprefix("layers.")
        if key.startswith("claim_layers."):
            name = "c" + key.removeprefix("claim_layers.")
            if name not in constants:  # a graph of before there were such layers
                continue
        if key.startswith("tokens."):
            name = key.replace("tokens", "marks")
        array = constants[name].astype(np.float32)
        if constants[name].dtype == np.int8:
            scale = constants[name.replace(".weight", ".scale")]
            array = array * scale.reshape(-1, 1) if name == "words.weight" else (array * scale).T
        elif name in ("hidden.weight", "classes.weight", "marks.weight"):
            array = array.T
        state[key] = torch.from_numpy(np.ascontiguousarray(array)).reshape(value.shape)
    network.load_state_dict(state, strict=False)
    if not any(key.startswith("claim_layers.") for key in state):
        network.start_claim_layers()
    return network.eval()

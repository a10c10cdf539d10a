"""What is kept of a teacher's states, and how a student is held to it."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from faithmeter.verify.local import WEIGHTS
from training.fit import Answers, Settings, predict, train
from training.hints import Hints, best_map
from training.model import SHAPES, Network
from training.rows import Row
from training.tokens import encode_rows, load_tokenizer

ROWS = [
    Row(f"Harbour {n} was built in 18{n}.", "", f"In 18{n} the harbour {n} was built. It is large.", n % 3, None, "toy")
    for n in range(10, 40)
]


def test_each_claims_states_lie_where_its_row_says() -> None:
    hints = Hints(np.array([2, 3]), np.array([4, 1]), 5, 2, "cpu")
    hints.keep(torch.tensor([1, 4]), torch.arange(12.0).view(2, 3, 2))
    at, mask = hints.places(torch.tensor([4, 0, 1]), 3)
    assert mask.sum(1).tolist() == [2, 0, 3]
    assert hints.states[at[0, :2]].tolist() == [[6, 7], [8, 9]]
    assert hints.states[at[2]].tolist() == [[0, 1], [2, 3], [4, 5]]
    rows = torch.tensor([0, 1])
    near = torch.zeros(2, 3, 2)
    near[1] = torch.arange(6.0).view(3, 2)
    assert float(hints.loss(rows, near)) == 0
    assert float(hints.loss(rows, near + 2)) == 4


def test_dimensions_are_brought_to_one_scale() -> None:
    hints = Hints(np.array([300]), np.array([0]), 1, 2, "cpu")
    hints.keep(torch.tensor([0]), torch.randn(1, 300, 2) * torch.tensor([1.0, 40.0]) + 7)
    hints.scale()
    np.testing.assert_allclose(hints.states[:300].float().std(0).numpy(), 1, atol=0.05)


def test_the_first_map_is_the_best_linear_one() -> None:
    own = torch.randn(500, 4)
    other = own @ torch.randn(4, 3) + torch.randn(3)
    assert float((best_map(own, other)(own) - other).detach().square().mean()) < 0.01


def test_a_student_comes_nearer_to_its_teachers_states() -> None:
    torch.manual_seed(1)
    data = encode_rows(ROWS, load_tokenizer(WEIGHTS / "tokenizer.json"))
    teacher, student = Network(SHAPES["tiny"]), Network(SHAPES["tiny"])
    every = np.arange(len(data))
    hints = Hints(data.claim_ends, every, len(data), 32, "cpu")
    answers = predict(teacher, data, device="cpu", hints=hints, numbers=every)
    hints.scale()

    def distance(network: Network) -> float:
        own = Hints(data.claim_ends, every, len(data), 32, "cpu")
        predict(network, data, device="cpu", hints=own, numbers=every)
        a, b = own.states[:-1].float(), hints.states[:-1].float()
        return float((best_map(a, b)(a) - b).detach().square().mean())

    before, keys = distance(student), set(student.state_dict())
    settings = Settings(rate=5e-3, epochs=60, tokens=4096, teacher_share=0.5, dropout=0.0, hint_share=1.0)
    train(student, data, settings, device="cpu", teacher=Answers(answers.classes, answers.tokens, hints))
    assert distance(student) < before * 0.8
    assert set(student.state_dict()) == keys

"""What holds the OpenAI SDK below 2: continuous-eval, whose numbers are ours, and the oldest instructor we read."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from faithmeter import MissingExtra
from faithmeter.compat import DeterministicFaithfulness, rag_evals
from faithmeter.llm.wrapped import given

KEY = "sk-of-the-wrapped-client"
ROWS = [
    {
        "answer": "Paris",
        "retrieved_context": ["Paris is the largest city in France.", "Lyon is a major city in France."],
    },
    {
        "answer": "Dr. Ng moved to Oslo in 1994. She met approx. 40 people, e.g. Mr. Berg! Nobody knew her then.",
        "retrieved_context": ["In 1994, Dr. Ng moved to Oslo.", "Mr. Berg knew her. She met about 40 people there."],
    },
    {
        "answer": "William Shakespeare wrote 'Romeo and Juliet'. He is born in Ireland",
        "retrieved_context": ["William Shakespeare is the author of 'Romeo and Juliet'."],
    },
    {"answer": "Nothing of this is known.", "retrieved_context": ["The tower is 330 m tall.", "It opened in 1889."]},
]


def _punkt() -> Any:
    """NLTK with Punkt's data, which another package brings."""
    import importlib.util

    import nltk

    spec = importlib.util.find_spec("llama_index")
    assert spec
    for place in spec.submodule_search_locations or ():
        nltk.data.path.append(str(Path(place) / "core" / "_static" / "nltk_cache"))
    return nltk


def _close(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(_close, ours, theirs))
    return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)


def case_continuous_eval() -> str:
    """continuous-eval (continuous-eval): its `DeterministicFaithfulness` and ours on the same rows, `metric(**row)`"""
    nltk = _punkt()
    from continuous_eval.metrics.generation.text import DeterministicFaithfulness as Theirs

    theirs, same = Theirs(), DeterministicFaithfulness(tokens="0.3", splitter=nltk.sent_tokenize)
    for row in ROWS:
        expected = theirs(**row)
        found = same(**row)
        assert found.keys() == expected.keys()
        for name in expected:
            assert _close(found[name], expected[name]), (row["answer"], name, found[name], expected[name])
    assert (same.name, set(same.schema)) == (theirs.name, set(theirs.schema))
    alone = DeterministicFaithfulness(tokens="0.3")  # our sentences instead of Punkt's
    assert all(_close(list(alone(**row).values()), list(theirs(**row).values())) for row in ROWS)
    return f"six numbers and their parts equal to 1e-9 on {len(ROWS)} rows, given Punkt and with our sentences"


def case_instructor_oldest() -> str:
    """rag_evals (instructor): a client of the oldest instructor, `from_openai(OpenAI(…), model=…)`, and async"""
    import instructor
    from openai import AsyncOpenAI, OpenAI

    for kind in (OpenAI, AsyncOpenAI):
        client = instructor.from_openai(kind(base_url="http://127.0.0.1:9/v1", api_key=KEY), model="m")
        read = given(client)
        assert read.spec == "openai:m@http://127.0.0.1:9/v1"
        assert read.access
        assert KEY not in repr(read)
    asked: dict[str, Any] = {"question": "?", "answer": "Paris.", "context": ["Paris."]}
    said = ""
    try:
        rag_evals.Faithfulness.grade(**asked, client=client)
    except MissingExtra as error:
        said = str(error)
    assert "faithmeter[llm]" in said
    assert rag_evals.Faithfulness.grade(**asked, client="lexical").statements is not None
    return "address, model and key are read; judging needs `faithmeter[llm]`, which pip installs beside 1.17 only"

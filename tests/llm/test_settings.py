"""Specs and options: what they mean, and what is refused."""

from __future__ import annotations

import pytest

from faithmeter.errors import UsageError
from faithmeter.llm.settings import JudgeSettings, parse_spec
from faithmeter.runtime.specs import judge_of, with_options


@pytest.mark.parametrize(
    ("spec", "model", "changed"),
    [
        ("openai:gpt-5", "gpt-5", {}),
        ("openai:gpt-5@http://127.0.0.1:8000/v1", "gpt-5", {"base_url": "http://127.0.0.1:8000/v1"}),
        ("openai:gpt-5@https://host/v1/", "gpt-5", {"base_url": "https://host/v1"}),
        ("openai:llama3:8b@http://localhost:11434/v1", "llama3:8b", {"base_url": "http://localhost:11434/v1"}),
        ("openai:meta-llama/Llama-3", "meta-llama/Llama-3", {}),
        ("bedrock:anthropic.claude-v2:0", "anthropic.claude-v2:0", {}),
        ("google:gemini@20250101?votes=3", "gemini@20250101", {"votes": 3}),
        ("anthropic:claude?votes=3&mode=per-claim", "claude", {"votes": 3, "mode": "per-claim"}),
        (
            "openai:m?inference=lenient&reasons=false@http://h/v1",
            "m",
            {"inference": "lenient", "reasons": False, "base_url": "http://h/v1"},
        ),
        ("openai:m?base-url=http://h/v1", "m", {"base_url": "http://h/v1"}),
        ("openai:m?model_settings.top_p=0.5", "m", {"model_settings": {"top_p": 0.5}}),
        ("openai:m?model_settings.effort=low", "m", {"model_settings": {"effort": "low"}}),
        ("openai:m?language=Brazilian%20Portuguese", "m", {"language": "Brazilian Portuguese"}),
    ],
)  # fmt: skip
def test_specs(spec: str, model: str, changed: dict[str, object]) -> None:
    found, settings = parse_spec(spec)
    assert found.model == model
    assert settings == JudgeSettings(**changed)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("openai:", "PROVIDER:MODEL"),
        ("nobody:gpt", "PROVIDER:MODEL"),
        ("openai:m?votes=2", "odd"),
        ("openai:m?votes=many", "votes"),
        ("openai:m?nonsense=1", "unknown judge option 'nonsense'"),
        ("openai:m?mode=fast", "mode"),
        ("openai:m@http://user:pw@host/v1", "environment"),
        ("openai:m?base_url=ftp://host", "http"),
        ("openai:m?model_settings.api_key=sk-1", "environment"),
        ("openai:m?language=x;{y}", "language"),
        ("openai:m?prompt=tiny", "prompt"),
        ("openai:m?prompt=small&partial=true", "judge options: prompt=small does not go with partial=true"),
    ],
)
def test_bad_specs_say_why(spec: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_spec(spec)


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("openai:m", ["votes=3", "timeout=5"]),
        ("openai:m?mode=joint@http://h:1/v1", ["votes=3", "timeout=5"]),
        ("openai:m@http://h:1/v1", ["extract_prompt=/a b/c&d?e.md", "language=a b"]),
    ],
)
def test_options_are_added_to_a_spec(spec: str, options: list[str]) -> None:
    model, settings = parse_spec(with_options(spec, options))
    before = parse_spec(spec)
    assert model == before[0]
    assert settings.base_url == before[1].base_url
    assert settings.mode == before[1].mode
    for option in options:
        name, _, value = option.partition("=")
        assert str(getattr(settings, name)) in (value, f"{value}.0")


def test_an_option_without_a_value_is_refused() -> None:
    with pytest.raises(UsageError, match="NAME=VALUE"):
        with_options("openai:m", ["votes"])


def test_what_bears_on_a_verdict_is_signed_and_the_rest_is_not() -> None:
    assert JudgeSettings(batch=5, concurrency=3, timeout=1, base_url="http://h/v1").signed == []
    assert JudgeSettings(votes=3, inference="lenient").signed == ["inference=lenient", "votes=3"]
    assert JudgeSettings(model_settings={"b": 1, "a": 2}).signed == ['{"a":2,"b":1}']


def test_votes_raise_the_temperature_unless_it_is_given() -> None:
    assert JudgeSettings().sent == {"temperature": 0.0}
    assert JudgeSettings(votes=3).sent == {"temperature": 0.7}
    assert JudgeSettings(votes=3, temperature=0.1, max_tokens=50).sent == {"temperature": 0.1, "max_tokens": 50}


@pytest.mark.parametrize(
    ("spec", "judge"),
    [
        ("openai:m", "openai:m"),
        ("cascade:openai:m?votes=3", "openai:m?votes=3"),
        ("cascade:0.01,0.72:openai:m", "openai:m"),
        ("cascade:lexical", ""),
        ("local", ""),
    ],
)
def test_the_llm_that_a_verifier_asks(spec: str, judge: str) -> None:
    assert judge_of(spec) == judge


def test_an_option_without_a_value_is_named_with_the_remedy() -> None:
    with pytest.raises(UsageError, match=r"cannot read the options 'votes' .* e.g. openai:gpt-5\?votes=3"):
        parse_spec("openai:gpt-5?votes")


@pytest.mark.parametrize("around", ["{}", "cascade:{}", "cascade:0.01,0.72:{}", "profile:cascade:{}@profile.json"])
def test_on_ray_each_actor_gets_its_share_of_the_limits(around: str) -> None:
    from faithmeter.runs.ray.engine import _share

    given = around.format("openai:m?concurrency=8&requests_per_minute=60")
    given_last = "&concurrency=2&requests_per_minute=15.0"
    assert _share(given, 4) == around.format(f"openai:m?concurrency=8&requests_per_minute=60{given_last}")

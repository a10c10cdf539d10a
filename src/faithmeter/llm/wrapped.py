"""Reads the address, the model and the key from a client that the user made."""

from __future__ import annotations

from typing import Any, NamedTuple

from faithmeter.errors import UsageError
from faithmeter.llm.secrets import Access
from faithmeter.runtime.specs import PROVIDERS

# The SDKs whose clients say which address they ask and with which key, by the first part of their modules' names.
_SDKS = {"openai": "openai", "anthropic": "anthropic", "groq": "groq"}
# Where wrappers (ragas's, instructor's, LangChain's) and an SDK's own resources keep what they wrap.
_INSIDE = ("langchain_llm", "root_async_client", "root_client", "client", "_async_client", "_client")
_REMEDY = "pass a string such as 'openai:MODEL' or 'openai:MODEL@http://HOST/v1', with the key in the environment"


class Given(NamedTuple):
    """Who judges, as a spec, and how a client of the user's gets in."""

    spec: str
    access: Access | None = None


def given(client: Any) -> Given:
    """What a user passes as `client` or `llm`.

    A string is a spec, `openai/gpt-5` (instructor's way of writing it) is `openai:gpt-5`. A client object, also
    inside a wrapper of instructor's, ragas's or LangChain's, gives its address, its model or deployment and its
    key. What cannot be read from it is refused: another host than the user named is never asked.
    """
    if isinstance(client, str):
        provider, slash, model = client.partition("/")
        return Given(f"{provider}:{model}" if slash and provider in PROVIDERS else client)
    layers = _layers(client)
    inner = layers[-1]
    sdk = _sdk(inner)
    name = next(filter(None, map(_model, layers)), None)
    azure = sdk == "openai" and hasattr(inner, "_azure_endpoint")
    if azure:
        name = getattr(inner, "_azure_deployment", None) or name
    if sdk is None or name is None:
        raise UsageError(f"cannot tell the model from {type(client).__name__}; {_REMEDY}")
    address = inner._azure_endpoint if azure else inner.base_url
    address = str(address or "").rstrip("/")
    key = getattr(inner, "api_key", None)
    if not address or not isinstance(key, str) or not key or key.startswith("<"):  # Azure's SDK: "<missing API key>"
        lacking = "address" if not address else "API key"
        raise UsageError(f"cannot tell the {lacking} that {type(client).__name__} uses; {_REMEDY}")
    version = getattr(inner, "_api_version", None) if azure else None
    return Given(f"{'azure' if azure else sdk}:{name}@{address}", Access(key, version))


def _layers(client: Any) -> list[Any]:
    """The object and what it wraps, down to an SDK's client."""
    layers = [client]
    while _sdk(layers[-1]) is None and len(layers) < 10:
        held = (getattr(layers[-1], name, None) for name in _INSIDE)
        inner = next((item for item in held if item is not None), None)
        if inner is None:
            break
        layers.append(inner)
    return layers


def _sdk(client: Any) -> str | None:
    """The provider, if this is a client of an SDK that says which address it asks."""
    return _SDKS.get(type(client).__module__.split(".")[0]) if hasattr(client, "base_url") else None


def _model(layer: Any) -> str | None:
    kept = getattr(layer, "kwargs", None)  # where instructor keeps its model
    names = [kept.get("model") if isinstance(kept, dict) else None]
    names += [getattr(layer, name, None) for name in ("model", "model_name")]
    names.append(_closed_over(getattr(layer, "create_fn", None)))
    return next((name for name in names if isinstance(name, str) and name), None)


def _closed_over(create: Any) -> Any:
    """The model that newer instructors keep only in what their `create` closes over."""
    names = getattr(getattr(create, "__code__", None), "co_freevars", ())
    cells = dict(zip(names, getattr(create, "__closure__", None) or (), strict=False))
    return cells["default_model"].cell_contents if "default_model" in cells else None

"""Endpoints through pydantic-ai's models: the request layer only, with its retries off; retries are up to `client`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from faithmeter.errors import MissingExtra, UsageError

try:
    import httpx2
    from openai import DefaultAioHttpClient
    from pydantic_ai import exceptions as ai
    from pydantic_ai.direct import model_request
    from pydantic_ai.messages import CachePoint, ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.profiles import ModelProfile
    from pydantic_ai.settings import ModelSettings
except ImportError:
    raise MissingExtra("an LLM judge", "llm") from None

from faithmeter.llm.bounded import bound_botocore, event_hooks
from faithmeter.llm.lean import LeanOpenAI
from faithmeter.llm.protocol import (
    Barred,
    Fault,
    Rejected,
    Reply,
    Request,
    Style,
    Throttled,
    TimedOut,
    Token,
    TooLong,
    Unavailable,
)
from faithmeter.llm.secrets import Access, scrubbed
from faithmeter.llm.settings import ModelSpec

KEY = "FAITHMETER_API_KEY"
"""Holds the key for an endpoint given by its address; the provider's own variable is the fallback."""

_KEYLESS = "no-key"  # the SDKs insist on one; local servers ignore it
# what pydantic-ai's profiles say about models that take no temperature
_NO_TEMPERATURE = ("openai_supports_reasoning", "anthropic_disallows_sampling_settings")
# Anthropic wants a limit; without one pydantic-ai asks for the model's maximum, which then must be streamed.
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {"anthropic": {"max_tokens": 16_384}}
_ROUNDING = 1e-3  # how far above 0 a log-probability may be
_FINISH: Mapping[str | None, Any] = {"length": "length", "content_filter": "refused"}


class PydanticAIEndpoint:
    """One model, reached through pydantic-ai; belongs to the event loop it is first used in."""

    def __init__(
        self,
        model: Model[Any],
        close: Callable[[], Any] | None = None,
        *,
        defaults: Mapping[str, Any] | None = None,
        secrets: Sequence[str] = (),
    ) -> None:
        self._model = model
        self._close = close
        self._defaults = dict(defaults or {})
        self._secrets = tuple(secrets)
        self._takes_temperature = not any(model.profile.get(flag) for flag in _NO_TEMPERATURE)

    async def send(self, request: Request, style: Style) -> Reply:
        """Give the reply, or raise a `Fault`."""
        settings = {**self._defaults, **request.settings}
        if not self._takes_temperature:  # pydantic-ai would drop it with a warning
            settings.pop("temperature", None)
        try:
            response = await model_request(
                self._model,
                _messages(request, instructions(request, style), cache=settings.get("cache")),
                model_settings=ModelSettings(**settings),  # type: ignore[typeddict-item]
                model_request_parameters=_parameters(request, style),
                instrument=False,
            )
            return _reply(response, self._secrets)
        except Fault:
            raise
        except (ai.AgentRunError, ai.UserError) as error:
            raise _fault(error, self._secrets) from None  # the cause may hold headers, and with them the key
        except Exception as error:  # what an SDK raises on a body that its provider would never send is anybody's guess
            said = _brief(error, self._secrets)
            raise Unavailable(f"the reply cannot be read ({type(error).__name__}: {said})") from None

    async def aclose(self) -> None:
        """Close the connections."""
        if self._close is not None:
            await self._close()


def connect(spec: ModelSpec, base_url: str | None = None, access: Access | None = None) -> PydanticAIEndpoint:
    """Build the endpoint of a spec, with the key from the environment or from the user's own client."""
    secrets = [access.key] if access else []
    try:
        if spec.provider == "bedrock":
            return _bedrock(spec.model, base_url)
        if spec.provider == "groq":
            return _groq(spec.model, base_url, access)
        # httpx's own pool scans every connection on each request; aiohttp's does not.
        # It follows redirects unless told not to, and the body goes along: to a host that nobody named.
        http = DefaultAioHttpClient(
            timeout=httpx2.Timeout(600, connect=15), follow_redirects=False, event_hooks=event_hooks(httpx2)
        )
        model = _BUILDERS[spec.provider](spec.model, base_url, http, access)
        client = getattr(model, "client", None)
        close = client.close if isinstance(client, LeanOpenAI) else http.aclose
        return PydanticAIEndpoint(model, close, defaults=_DEFAULTS.get(spec.provider), secrets=secrets)
    except ImportError:
        raise MissingExtra(f"the provider {spec.provider!r}", "llm") from None
    except ai.UserError as error:
        raise UsageError(f"{spec}: {error}") from None


def _key(variable: str, base_url: str | None, access: Access | None) -> str | None:
    if access is not None:
        return access.key
    own = os.environ.get(KEY) if base_url else None
    return own or os.environ.get(variable) or None


def _openai_provider(base_url: str | None, http: httpx2.AsyncClient, access: Access | None) -> Any:
    from pydantic_ai.providers.openai import OpenAIProvider

    address = base_url or os.environ.get("OPENAI_BASE_URL")
    key = _key("OPENAI_API_KEY", base_url, access) or (_KEYLESS if address else None)
    if key is None:
        raise UsageError("set OPENAI_API_KEY in the environment, or give the address of your own endpoint")
    return OpenAIProvider(openai_client=LeanOpenAI(base_url=address, api_key=key, http_client=http, max_retries=0))


def _openai(model: str, base_url: str | None, http: httpx2.AsyncClient, access: Access | None) -> Model[Any]:
    from pydantic_ai.models.openai import OpenAIChatModel

    # Our schemas are already what OpenAI's strict mode wants; pydantic-ai would rework them for each request.
    return OpenAIChatModel(
        model, provider=_openai_provider(base_url, http, access), profile=ModelProfile(json_schema_transformer=None)
    )


def _openai_responses(model: str, base_url: str | None, http: httpx2.AsyncClient, access: Access | None) -> Model[Any]:
    from pydantic_ai.models.openai import OpenAIResponsesModel

    return OpenAIResponsesModel(model, provider=_openai_provider(base_url, http, access))


def _azure(model: str, base_url: str | None, http: httpx2.AsyncClient, access: Access | None) -> Model[Any]:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.azure import AzureProvider

    provider = AzureProvider(
        azure_endpoint=base_url,
        api_version=access.api_version if access else None,
        api_key=_key("AZURE_OPENAI_API_KEY", base_url, access),
        http_client=http,
    )
    provider.client.max_retries = 0
    return OpenAIChatModel(model, provider=provider)


def _anthropic(model: str, base_url: str | None, http: httpx2.AsyncClient, access: Access | None) -> Model[Any]:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    provider = AnthropicProvider(
        api_key=_key("ANTHROPIC_API_KEY", base_url, access), base_url=base_url, http_client=http
    )
    provider.client.max_retries = 0
    return AnthropicModel(model, provider=provider)


def _google(model: str, base_url: str | None, http: httpx2.AsyncClient, access: Access | None) -> Model[Any]:
    from google.genai.types import HttpRetryOptions
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(
        api_key=_key("GOOGLE_API_KEY", base_url, access) or os.environ.get("GEMINI_API_KEY"),
        base_url=base_url,
        http_client=http,
        retry_options=HttpRetryOptions(attempts=1),
    )
    return GoogleModel(model, provider=provider)


def _mistral(model: str, base_url: str | None, http: httpx2.AsyncClient, access: Access | None) -> Model[Any]:
    from pydantic_ai.models.mistral import MistralModel
    from pydantic_ai.providers.mistral import MistralProvider

    provider = MistralProvider(api_key=_key("MISTRAL_API_KEY", base_url, access), base_url=base_url, http_client=http)
    return MistralModel(model, provider=provider)


def _groq(model: str, base_url: str | None, access: Access | None) -> PydanticAIEndpoint:
    import httpx  # groq's SDK is still on it
    from pydantic_ai.models.groq import GroqModel
    from pydantic_ai.providers.groq import GroqProvider

    http = httpx.AsyncClient(
        timeout=httpx.Timeout(600, connect=15), follow_redirects=False, event_hooks=event_hooks(httpx)
    )
    provider = GroqProvider(api_key=_key("GROQ_API_KEY", base_url, access), base_url=base_url, http_client=http)
    provider.client.max_retries = 0
    return PydanticAIEndpoint(GroqModel(model, provider=provider), http.aclose, secrets=[access.key] if access else [])


def _bedrock(model: str, base_url: str | None) -> PydanticAIEndpoint:
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError
    from pydantic_ai.models.bedrock import BedrockConverseModel
    from pydantic_ai.providers.bedrock import BedrockProvider

    config = Config(retries={"total_max_attempts": 1}, connect_timeout=15, read_timeout=600, max_pool_connections=64)
    try:
        session = boto3.Session()
        client = session.client("bedrock-runtime", endpoint_url=base_url, config=config)
        credentials = session.get_credentials()  # they may be in a file, where `scrubbed` does not look
    except BotoCoreError as error:
        raise UsageError(f"bedrock:{model}: {error} (set AWS_REGION and the other AWS_ variables)") from None
    bound_botocore(client)
    secrets = [credentials.access_key, credentials.secret_key, credentials.token] if credentials else []
    return PydanticAIEndpoint(
        BedrockConverseModel(model, provider=BedrockProvider(bedrock_client=client)),
        secrets=list(filter(None, secrets)),
    )


_BUILDERS: Mapping[str, Callable[[str, str | None, httpx2.AsyncClient, Access | None], Model[Any]]] = {
    "openai": _openai,
    "openai-responses": _openai_responses,
    "azure": _azure,
    "anthropic": _anthropic,
    "google": _google,
    "mistral": _mistral,
}


def _messages(request: Request, instructions: str, *, cache: object) -> list[ModelMessage]:
    """The conversation: examples, if there are any, then what is asked.

    Where a provider must be told what to cache, that is everything up to the end of the examples.
    """
    earlier: list[ModelMessage] = []
    for turn in request.turns:
        earlier += [ModelRequest.user_text_prompt(turn.user), ModelResponse(parts=[TextPart(turn.assistant)])]
    if not earlier or cache in (None, False):
        return [*earlier, ModelRequest.user_text_prompt(request.user, instructions=instructions)]
    asked = UserPromptPart([CachePoint(), request.user])  # a mark that comes first belongs to what is before it
    return [*earlier, ModelRequest(parts=[asked], instructions=instructions)]


def instructions(request: Request, style: Style) -> str:
    """The system prompt: with the form of the reply, where neither it nor the provider holds the model to one."""
    if style in ("closed", "schema") or request.turns:
        return request.system
    return f"{request.system}\n\nReply with one JSON object and nothing else, in this form:\n{_form(request.schema)}"


def _form(schema: Mapping[str, Any]) -> str:
    """What a schema asks for, as it looks: small models take a JSON schema for the reply itself, and repeat it."""
    match schema:
        case {"properties": properties}:
            return "{" + ", ".join(f'"{name}": {_form(inner)}' for name, inner in properties.items()) + "}"
        case {"items": inner}:
            return f"[{_form(inner)}, …]"
        case {"enum": values}:
            return " | ".join(json.dumps(value) for value in values)
        case {"type": "string"}:
            return '"…"'
    return "NUMBER"


def _parameters(request: Request, style: Style) -> ModelRequestParameters:
    if style == "prompt":
        return ModelRequestParameters(output_mode="text")
    native = style != "object"
    schema = request.closed if style == "closed" else request.schema
    return ModelRequestParameters(
        output_mode="native" if native else "prompted",
        output_object=OutputObjectDefinition(
            json_schema=dict(schema), name=request.name, strict=True if native else None
        ),
        prompted_output_template=False if style == "object" else None,
    )


def _reply(response: ModelResponse, secrets: Sequence[str] = ()) -> Reply:
    usage = response.usage  # a count below 0 is the client's business: the call is paid for all the same
    details = response.provider_details or {}
    return Reply(
        text=scrubbed(response.text or "", secrets),
        finish=_FINISH.get(response.finish_reason, "stop"),
        prompt_tokens=usage.input_tokens,
        completion_tokens=usage.output_tokens,
        tokens=tuple(_token(item) for item in details.get("logprobs") or ()),
    )


def _token(item: Mapping[str, Any]) -> Token:
    alternatives = {top["token"]: top["logprob"] for top in (item.get("top_logprobs") or [item])}
    for text, logprob in alternatives.items():
        if not logprob <= _ROUNDING:  # nor is NaN
            raise Unavailable(f"the reply gives {text[:20]!r} a log-probability of {logprob}, which is above 0")
    return Token(item["token"], alternatives)


def _fault(error: ai.AgentRunError | ai.UserError, secrets: Sequence[str] = ()) -> Fault:
    """Sort pydantic-ai's exceptions by what can be done about them."""
    message = _brief(error, secrets)
    retry_after = getattr(error, "retry_after", None)
    if 300 <= (status := _status(error)) < 400:
        return Barred(
            f"HTTP {status}: a redirect, which is never followed; give the address it leads to if you trust it"
        )
    match error:
        case ai.ModelRateLimitError():
            return Throttled(message, retry_after=retry_after)
        case ai.ModelQuotaExceededError() | ai.ModelAuthenticationError() | ai.ModelNotFoundError():
            return Barred(message)
        case ai.ModelContextWindowExceededError():
            return TooLong(message)
        case ai.ModelTimeoutError() | ai.ModelRequestTimeout():
            return TimedOut(message)
        case ai.ModelRequestRejectedError() | ai.UserError():
            return Rejected(message)
        case ai.ModelHTTPError(status_code=status) if 400 <= status < 500 and status not in (408, 409, 425):
            return Rejected(message)
    return Unavailable(message, retry_after=retry_after)


def _status(error: Exception) -> int:
    """The HTTP status, which for a redirect only the SDK's own error holds; 0 if there is none."""
    said = [getattr(item, name, None) for item in (error, error.__cause__) for name in ("status_code", "code")]
    return next((status for status in said if isinstance(status, int)), 0)


def _brief(error: Exception, secrets: Sequence[str]) -> str:
    body = getattr(error, "body", None)
    if isinstance(error, ai.ModelHTTPError):
        said = body.get("message") if isinstance(body, dict) else body
        return f"HTTP {error.status_code}: {_cut(str(said or ''), secrets)}".rstrip(": ")
    return _cut(str(error), secrets)


def _cut(text: str, secrets: Sequence[str]) -> str:
    """The beginning; cleared of keys before it is cut, as half a key would not be found."""
    return " ".join(scrubbed(text, secrets).split())[:300]

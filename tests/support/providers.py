"""The providers that the server on loopback speaks the protocols of."""

from __future__ import annotations

# provider, model, what follows the server's root in the base address, whether the schema is sent natively
PROVIDERS = [
    ("openai", "gpt-4o-mini", "/v1", True),
    ("openai-responses", "gpt-4o-mini", "/v1", True),
    ("azure", "gpt-4o", "/openai/v1", True),
    ("anthropic", "claude-haiku-5-5", "", True),
    ("google", "gemini-2.5-flash", "", True),
    ("mistral", "mistral-small-latest", "", None),
    ("groq", "openai/gpt-oss-20b", "", None),
    ("bedrock", "us.amazon.nova-lite-v1:0", "", None),
]

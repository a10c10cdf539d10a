"""What requests cost."""

from __future__ import annotations

from faithmeter.errors import MissingExtra, UsageError

try:
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price
except ImportError:
    raise MissingExtra("an LLM judge", "llm") from None

from faithmeter.llm.settings import JudgeSettings, ModelSpec

# where genai-prices' name for a provider is not ours
_PRICED_AS = {"bedrock": "aws", "openai-responses": "openai"}


class Prices:
    """The price of one model; unknown for models nobody lists, such as your own."""

    def __init__(self, spec: ModelSpec, settings: JudgeSettings) -> None:
        self._name = str(spec)
        self._model = spec.model
        self._provider = _PRICED_AS.get(spec.provider, spec.provider)
        self._own = (settings.input_price, settings.output_price)
        # Behind another address is another model, whatever its name.
        self._listed = self._own == (None, None) and settings.base_url is None
        if self._listed and self.cost(1000, 1000) is None:
            self._listed = False

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """US dollars, or None if the price is not known."""
        if self._own != (None, None):
            return ((self._own[0] or 0.0) * prompt_tokens + (self._own[1] or 0.0) * completion_tokens) / 1e6
        if not self._listed:
            return None
        tokens = Tokens(input_tokens=prompt_tokens, output_tokens=completion_tokens)
        try:
            return float(calc_price(tokens, self._model, provider_id=self._provider).total_price)
        except LookupError:
            return None

    def known_cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """The cost, where a limit depends on it."""
        cost = self.cost(prompt_tokens, completion_tokens)
        if cost is None:
            raise UsageError(
                f"the price of {self._name} is not known, so its cost cannot be limited; "
                "give it with the options input_price and output_price (US dollars for a million tokens)"
            )
        return cost

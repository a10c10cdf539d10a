"""LLM endpoints: providers, structured output, retries, rate and cost limits, prompts."""

"""An LLM as extractor, verifier, or both in one call."""

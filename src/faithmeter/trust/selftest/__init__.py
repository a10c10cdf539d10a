"""The self-test: known corruptions and harmless rewordings of supported claims."""

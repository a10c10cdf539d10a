"""The HTML pages and their assets."""

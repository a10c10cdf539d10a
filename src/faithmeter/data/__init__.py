"""Files in and out: `jsonl`, the one reader and writer of JSON lines, and `files`, which writes whole or not at all."""

"""A chat model on loopback for `benchmarks.serve stream`: says what `metadata.answer` holds, 50 tokens a second.

`python -m benchmarks.serve_model` prints its port. Plain asyncio, so that it takes next to no CPU.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

TOKENS_A_SECOND = 50.0
TOKEN = re.compile(r"\s*\S{1,6}|\s+\Z")  # about as long as those of current models


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One streamed completion; the connection ends with it."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    body: dict[str, Any] = json.loads(await reader.readexactly(int(length[1]) if length else 0))
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
    loop = asyncio.get_running_loop()
    began = loop.time()
    cut = body["metadata"].get("cut", 1 << 30)
    rate = body["metadata"].get("rate", TOKENS_A_SECOND)
    for number, token in enumerate(TOKEN.findall(body["metadata"]["answer"])):
        await asyncio.sleep(max(0.0, began + (number + 1) / rate - loop.time()))
        if number == cut:
            writer.transport.abort()
            return
        writer.write(chunk({"content": token}))
    writer.write(chunk({}, "stop") + b"data: [DONE]\n\n")
    await writer.drain()
    writer.close()


def chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
    """A chunk of the completion."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "loopback"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n".encode()


async def main() -> None:
    """Listen until killed."""
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())

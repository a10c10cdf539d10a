"""Carries a run to a machine that is lent for minutes and cannot be reached but by calls of some megabytes each.

cut    here, before: all that the run reads, in pieces                      -> OUT/pieces/00, 01, ...
take   there: puts a piece into its place; when the code is there it starts `work`; says how far all is
work   there, by itself: every step once what it reads has come, in the time that is left
give   there, last: the student in parts that may come back, and the logs
join   here, after: the student in one                                      -> OUT/student.safetensors

Where pieces are taken nothing is needed but Python and this file; everything else comes with them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

PIECE = 58 * 2**20
"""Bytes of a piece: a call may carry 64 MiB, its small files counted in."""
PART = 15 * 2**20
"""Bytes of a part that comes back."""
TAUGHT, ASKED = 0.13, 0.45
"""The part of the time left that the teacher learns for, and of what is then left that it answers for."""
SPARED = 45.0
"""Seconds at the end for the way back."""
PAUSE = 0.5
CODE = Path(__file__).resolve().parents[1]


class Sent(NamedTuple):
    """A file that travels, and the bytes of it that do; the others stay zeros."""

    source: Path
    name: str
    ranges: list[tuple[int, int]]


def cut(config: Path, base: Path, out: Path, site: Path, *, size: int = PIECE) -> int:
    """Cut what a run reads into pieces, what is read first in the first; gives how many there are."""
    files = [*_code(site), *_read(config, base, out)]
    total = sum(end - start for file in files for start, end in file.ranges)
    told: dict[str, Any] = {
        "files": [(file.name, file.source.stat().st_size, file.ranges) for file in files],
        "size": size,
        "count": -(-total // size),
    }
    shutil.rmtree(out / "pieces", ignore_errors=True)
    for number, piece in enumerate(_in_pieces(_bytes(files), size)):
        folder = out / "pieces" / f"{number:02}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "data").write_bytes(piece)
        one = {**told, "number": number, "digest": hashlib.sha256(piece).hexdigest()}
        (folder / "manifest.json").write_text(json.dumps(one))
    return -(-total // size)


def _code(site: Path) -> Iterator[Sent]:
    """Our code, without what builds rows and what ships, and the packages that the machine lacks."""
    paths = [*CODE.glob("training/*.py"), *CODE.glob("src/faithmeter/**/*.py")]
    for path in sorted(paths):
        yield _whole(path, f"code/{path.relative_to(CODE)}")
    for path in sorted(path for path in site.rglob("*") if path.is_file() and path.suffix != ".pyc"):
        yield _whole(path, f"site/{path.relative_to(site)}")


def _read(config: Path, base: Path, out: Path) -> Iterator[Sent]:
    """What the steps read: rows first, and a language model last."""
    from training.steps import LESSONS

    settings = json.loads(config.read_text())
    yield _whole(config, "config.json")
    models = sorted(base.rglob("*.gguf"))
    for model in models:
        _keep_tokenizer(model)
    for name in (*LESSONS, "eval", "held"):
        if (path := out / f"{name}.jsonl.xz").exists():
            yield _whole(path, f"out/{path.name}")
    student = settings["student"]
    unread = {base / name for name, share in student.get("beside", {}).items() if not share}
    if student["start"] == "shipped":
        unread = unread - {base / "shipped.onnx"} | {base / "minilm" / "model.safetensors"}
    for path in sorted(path for path in base.rglob("*") if path.is_file() and path not in {*models, *unread}):
        yield _whole(path, f"base/{path.relative_to(base)}")
    for model in models:
        sent = _whole(model, f"base/{model.relative_to(base)}")
        writes = "replies" in settings  # which takes all layers
        yield sent if writes else sent._replace(ranges=layers_of(model, settings["teacher"]["layers"]))


def _whole(path: Path, name: str) -> Sent:
    return Sent(path, name, [(0, path.stat().st_size)])


def _keep_tokenizer(model: Path) -> None:
    from training.decoder import tokenizer_of

    path = model.with_name("tokenizer.json")
    if not path.exists():
        tokenizer_of(model).save(str(path))


def layers_of(model: Path, layers: int) -> list[tuple[int, int]]:
    """The bytes of a GGUF file that its first layers are in, with the words and the last norm."""
    from gguf import GGUFReader

    tensors = GGUFReader(model).tensors
    used = {"token_embd", "output_norm", *(f"blk.{number}" for number in range(layers))}
    ranges = [(0, min(int(tensor.data_offset) for tensor in tensors))]
    for tensor in sorted(tensors, key=lambda tensor: int(tensor.data_offset)):
        start, end = int(tensor.data_offset), int(tensor.data_offset) + int(tensor.n_bytes)
        words = tensor.name.split(".")
        if words[0] in used or ".".join(words[:2]) in used:
            ranges.append((start, end))
    return ranges


def _bytes(files: list[Sent]) -> Iterator[bytes]:
    for file in files:
        with file.source.open("rb") as source:
            for start, end in file.ranges:
                source.seek(start)
                for at in range(start, end, 2**20):
                    yield source.read(min(2**20, end - at))


def _in_pieces(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    piece = bytearray()
    for chunk in chunks:
        piece += chunk
        while len(piece) >= size:
            yield bytes(piece[:size])
            del piece[:size]
    if piece:
        yield bytes(piece)


def take(piece: Path, root: Path, *, seconds: float) -> None:
    """Put a piece into its place; `seconds` from the first one on everything is to be done."""
    told, data = json.loads((piece / "manifest.json").read_text()), (piece / "data").read_bytes()
    if hashlib.sha256(data).hexdigest() != told["digest"]:
        sys.exit(f"{piece} is torn: send it again")
    (root / "taken").mkdir(parents=True, exist_ok=True)
    if not (root / "ends").exists():
        (root / "ends").write_text(str(time.time() + seconds))
        (root / "manifest.json").write_text(json.dumps(told))
    _place(told, data, root)
    (root / "taken" / str(told["number"])).touch()
    _finish_files(told, root)
    if not (root / "work.log").exists() and not _missing(root, ("code/", "site/")):
        _start(root, "training.lease", "work", "--root", str(root), log="work")


class Span(NamedTuple):
    """Bytes of a file that lie together in it and in what travels."""

    name: str
    size: int
    start: int
    """Where in the file."""
    at: int
    """Where in all that travels."""
    length: int


def _spans(told: dict[str, Any]) -> Iterator[Span]:
    at = 0
    for name, size, ranges in told["files"]:
        for start, end in ranges:
            yield Span(name, size, start, at, end - start)
            at += end - start


def _place(told: dict[str, Any], data: bytes, root: Path) -> None:
    """Write the bytes of a piece into the files that they belong to."""
    begin = told["number"] * told["size"]
    for span in _spans(told):
        first, last = max(span.at, begin), min(span.at + span.length, begin + len(data))
        if first >= last:
            continue
        path = _unfinished(root / span.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("r+b" if path.exists() else "w+b") as file:
            file.truncate(span.size)
            file.seek(span.start + first - span.at)
            file.write(data[first - begin : last - begin])


def _finish_files(told: dict[str, Any], root: Path) -> None:
    """Give the files their names whose pieces have all come; empty ones need none."""
    taken = {int(path.name) for path in (root / "taken").iterdir()}
    whole = {name: True for name, _, _ in told["files"]}
    for span in _spans(told):
        pieces = range(span.at // told["size"], -(-(span.at + span.length) // told["size"]))
        whole[span.name] &= not span.length or taken.issuperset(pieces)
    for name, size, _ in told["files"]:
        path = root / name
        if whole[name] and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            _unfinished(path).rename(path) if size else path.touch()


def _unfinished(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


def _missing(root: Path, starts: tuple[str, ...] = ("",)) -> list[str]:
    """The files, of those whose names start so, that have not come."""
    told = json.loads((root / "manifest.json").read_text())
    return [name for name, _, _ in told["files"] if name.startswith(starts) and not (root / name).exists()]


def look(root: Path) -> str:
    """How far all is: pieces, time, and the last line of each step."""
    told = json.loads((root / "manifest.json").read_text())
    taken = {int(path.name) for path in (root / "taken").iterdir()}
    gone = sorted(set(range(told["count"])) - taken)
    lines = [f"{len(taken)} of {told['count']} pieces, missing {gone}; {left(root):.0f} s left"]
    for log in sorted(root.glob("*.log"), key=lambda log: log.stat().st_mtime):
        lines += [f"{log.stem}: {line}" for line in log.read_text(errors="replace").splitlines()[-3:]]
    return "\n".join([*lines, "done" if (root / "done").exists() else ""]).strip()


def stay(root: Path, seconds: float) -> None:
    """Wait until everything is done, at most so long."""
    ends = time.time() + seconds
    while time.time() < ends and not (root / "done").exists():
        time.sleep(PAUSE)


def left(root: Path) -> float:
    """The seconds until everything is to be done."""
    return float((root / "ends").read_text()) - SPARED - time.time()


def _start(root: Path, module: str, *arguments: str, log: str, nice: bool = False) -> subprocess.Popen[bytes]:
    """Start a module of what has come, in a session of its own: it outlives the call."""
    command = [*(["nice"] if nice else []), sys.executable, "-u", "-m", module, *arguments]
    path = [str(root / "code"), str(root / "code" / "src"), str(root / "site")]
    with (root / f"{log}.log").open("wb") as file:
        return subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, cwd=root / "code",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path)}, start_new_session=True,
        )  # fmt: skip


def work(root: Path) -> None:
    """Run every step once what it reads has come."""
    config = json.loads((root / "config.json").read_text())
    try:
        _wait(root, lambda: all(name.endswith(".gguf") for name in _missing(root)))
        if "replies" in config:
            _wait(root, lambda: not _missing(root))
            _step(root, config, "reply").wait()
        encode = _step(root, config, "encode", nice=True)  # the teacher needs it last
        if _step(root, config, "group").wait():
            raise SystemExit("the rows could not be grouped")
        dev = root / "out" / "eval.ids.npz"
        _wait(root, lambda: not _missing(root) and (dev.exists() or encode.poll() is not None))
        learns = left(root) * TAUGHT
        config["teacher"] |= {"seconds": learns, "ask_seconds": (left(root) - learns) * ASKED}
        teacher = _step(root, config, "teach", "ask")
        if encode.wait():
            raise SystemExit("the rows could not be encoded")
        student = _start(root, "training.lease", "fit", "--root", str(root), log="fit")
        print("the teacher ended with", teacher.wait(), flush=True)
        (root / "taught").touch()
        print("the student ended with", student.wait(), flush=True)
    finally:
        (root / "taught").touch()
        (root / "done").touch()


def _wait(root: Path, ready: Callable[[], bool]) -> None:
    while not ready():
        if left(root) < 0:
            raise SystemExit("what is missing did not come in time")
        time.sleep(PAUSE)


def _step(root: Path, config: dict[str, Any], *names: str, nice: bool = False) -> subprocess.Popen[bytes]:
    path = root / f"{names[0]}.json"
    path.write_text(json.dumps(config))
    return _start(root, "training", *names, "--config", str(path), "--base", str(root / "base"),
                  "--out", str(root / "out"), "--device", _device(), log=names[0], nice=nice)  # fmt: skip


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def fit(root: Path) -> None:
    """The student: what it says of all rows while its teacher learns, and then all the time that is left."""
    from training import steps

    config = json.loads((root / "config.json").read_text())
    run = steps.Run(config, root / "base", root / "out", root / "out", _device())
    target = steps.own_answers(run)
    _wait(root, (root / "taught").exists)
    config["student"]["settings"]["seconds"] = left(root) / len(config["student"]["runs"])
    steps.fit(run, target)


def give(root: Path, into: Path) -> list[Path]:
    """The student in parts, and the logs in one file."""
    logs = "".join(f"== {log.stem}\n{log.read_text(errors='replace')}\n" for log in sorted(root.glob("*.log")))
    (into / "logs.txt").write_text(logs)
    parts = [into / "logs.txt"]
    student = root / "out" / "student.safetensors"
    if student.exists():
        for number, part in enumerate(_in_pieces(iter([student.read_bytes()]), PART)):
            parts.append(into / f"student.{number}")
            parts[-1].write_bytes(part)
    return parts


def join(came: Path, out: Path) -> Path:
    """The student whose parts have come back."""
    parts = sorted(came.rglob("student.*"), key=lambda part: int(part.suffix[1:]))
    if [int(part.suffix[1:]) for part in parts] != list(range(len(parts))) or not parts:
        raise SystemExit(f"{came} lacks parts of the student: {[part.name for part in parts]}")
    path = out / "student.safetensors"
    path.write_bytes(b"".join(part.read_bytes() for part in parts))
    return path


def main(arguments: list[str] | None = None) -> None:
    """One of the steps above."""
    parser = argparse.ArgumentParser(prog="python -m training.lease", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("step", choices=("cut", "take", "work", "fit", "give", "join"))
    parser.add_argument("folder", nargs="?", type=Path, help="the piece to take; where what is given goes, or came")
    parser.add_argument("--config", type=Path, default=CODE / "training" / "configs" / "minilm.json")
    parser.add_argument("--base", type=Path, default=Path("out/base"))
    parser.add_argument("--out", type=Path, default=Path("out/training"))
    parser.add_argument("--site", type=Path, default=Path("out/site"), help="packages that the machine lacks")
    parser.add_argument("--root", type=Path, default=Path("/tmp/lease"), help="where everything lies there")
    parser.add_argument("--seconds", type=float, default=1600, help="from the first piece until all is to be done")
    parser.add_argument("--wait", type=float, default=0, help="seconds to stay, if all is not done before")
    options = parser.parse_args(arguments)
    if options.step in ("give", "join") and options.folder is None:
        parser.error(f"{options.step} wants a folder")
    if options.step == "take" and options.folder is None and not (options.root / "manifest.json").exists():
        parser.error(f"no piece has come to {options.root} yet: name one")
    if options.step == "cut":
        print(cut(options.config, options.base, options.out, options.site), "pieces")
    elif options.step == "take":
        if options.folder:
            take(options.folder, options.root, seconds=options.seconds)
        stay(options.root, options.wait)
        print(look(options.root))
    elif options.step == "work":
        work(options.root)
    elif options.step == "fit":
        fit(options.root)
    elif options.step == "give":
        stay(options.root, options.wait)
        print(*give(options.root, options.folder), sep="\n")
    else:
        print(join(options.folder, options.out))


if __name__ == "__main__":
    main()

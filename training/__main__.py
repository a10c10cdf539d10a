"""One entry point, a step at a time: `python -m training STEP --config training/configs/minilm.json`.

build      rows from the data, evidence selected as at inference    -> OUT/*.jsonl.xz
reply      what a language model writes about their texts           -> OUT/replied.jsonl.xz
encode     the rows as token ids                                    -> OUT/*.ids.npz
group      the same for a language model, claims on one text as one -> OUT/*.groups.npz
teach      the teacher, on every labelled row                       -> OUT/teacher.safetensors
ask        what it says of the rows that the student learns from    -> OUT/teacher.npz
fit        the student, towards labels, teacher and its former self -> OUT/student.safetensors
export     ONNX graphs, in fp32 and in int8; the teacher's too      -> OUT/model.fp32.onnx, OUT/*.onnx
answer     what the int8 graph says of held-out rows                -> OUT/answers.npz
calibrate  the map from logits to `support`, from held-out rows     -> OUT/calibration.json
ship       what the package needs                                   -> src/faithmeter/weights/
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

STEPS = ("build", "reply", "encode", "group", "teach", "ask", "fit", "export", "answer", "calibrate", "ship")


def main(arguments: list[str] | None = None) -> None:
    """Run the steps named on the command line, in their order."""
    from training import steps

    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("steps", nargs="+", choices=STEPS, metavar="STEP")
    parser.add_argument("--config", type=Path, default=Path(__file__).parent / "configs" / "minilm.json")
    parser.add_argument("--base", type=Path, default=Path("out/base"), help="folder of the base weights' folders")
    parser.add_argument("--out", type=Path, default=Path("out/training"))
    parser.add_argument("--weights", type=Path, default=Path("src/faithmeter/weights/local"), help="where to ship to")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    options = parser.parse_args(arguments)
    config: dict[str, Any] = json.loads(options.config.read_text())
    options.out.mkdir(parents=True, exist_ok=True)
    run = steps.Run(config, options.base, options.out, options.weights, options.device)
    for step in STEPS:
        if step in options.steps:
            print(f"== {step}", flush=True)
            getattr(steps, step)(run)


if __name__ == "__main__":
    main()

"""The test vectors, run by others from their files alone: ONNX Runtime, and the TOSA reference model.

    python -m tools.corpus_elsewhere [--filter REGEX] [--reference-model VENV] [--folder DIR]

Writes the corpus, then knows nothing but its folders: models, operands and expected results. Prints how many
sets give the same, and each that does not. A set on which a runtime dies is one line, and the next one goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from lanewise.conformance.targets.ort_values import run_session
from lanewise.conformance.targets.tosa_model import Program
from lanewise.formats.tensors import read_tensors

SAME, BOUNDED, MISSING = "same", "bounded", "not implemented"
INEXACT = ("POW", "Pow", "INEXACT_ROUND")  # what a specification bounds and does not fix
POWERS = INEXACT[:2]  # of floats
TOSA_VERSIONS = ("1.0", "1.1")  # those that the model reads


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--filter", default="", metavar="REGEX", help="only sets whose name or row matches")
    parser.add_argument("--reference-model", type=Path, metavar="VENV", help="an environment with tosa-tools")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="keep the corpus there (default: a temporary one)")
    parser.add_argument("--onnx-runtime", action="store_true", help=argparse.SUPPRESS)  # the process that may die
    given = parser.parse_args()
    if given.onnx_runtime:
        _serve()
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        counts = _report("ONNX Runtime", onnx_runtime(_written(folder / "onnx", "onnx", given.filter)))
        if given.reference_model is not None:
            for version in TOSA_VERSIONS:
                sets = _written(folder / f"tosa-{version}", "tosa", given.filter, version)
                counts += _report(f"reference model, TOSA {version}", reference_model(sets, given.reference_model))
    return 0 if set(counts) <= {SAME, BOUNDED, MISSING} else 1


def _written(folder: Path, form: str, expression: str, version: str | None = None) -> list[Path]:
    command = [sys.executable, "-m", "lanewise", "vectors", str(folder), "--format", form]
    command += ["--filter", expression] if expression else []
    command += ["--version", version] if version else []
    subprocess.run(command, check=True)
    return sorted(path.parent for path in folder.rglob("model.onnx" if form == "onnx" else "desc.json"))


def _report(title: str, answers: Iterator[tuple[Path, str]]) -> Counter[str]:
    """How many sets came out how; of those that differ the operators, each with its first set."""
    counts: Counter[str] = Counter()
    others: dict[tuple[str, str], list[str]] = {}
    for place, answer in answers:
        kind = answer.split(":")[0]
        counts[kind] += 1
        if kind not in (SAME, MISSING):
            operator = next((name for name in re.split(r"_(?=[A-Z])|_[a-z]", place.name) if name[:1].isupper()), "")
            others.setdefault((kind, operator), []).append(f"{place.name}: {answer}")
    print(f"{title}: {', '.join(f'{count:,} {kind}' for kind, count in counts.most_common())}", flush=True)
    for (kind, operator), lines in sorted(others.items()):
        print(f"  {kind}, {operator}: {len(lines):,} sets, such as {lines[0]}", flush=True)
    return counts


def _compared(place: Path, found: np.ndarray, want: np.ndarray) -> str:
    if (found.dtype, found.shape) != (want.dtype, want.shape):
        return f"differs: {found.dtype}{list(found.shape)} for {want.dtype}{list(want.shape)}"
    bits = f"u{want.itemsize}"
    other = found.view(bits) != want.view(bits)
    if want.dtype.kind not in "biu":  # any NaN is as good as another
        other &= ~(np.isnan(found) & np.isnan(want))
    if not other.any():
        return SAME
    words = f"{int(other.sum()):,} of {want.size:,} elements"
    powers_of_integers = want.dtype.kind in "iu" and any(part in place.name for part in POWERS)
    if any(part in place.name for part in INEXACT) and not powers_of_integers:
        apart = max(abs(a - b) for a, b in zip(_places(found[other]), _places(want[other]), strict=True))
        return f"{BOUNDED}: {words}, by up to {apart} in the last place"
    return f"differs: {words}"


def _places(array: np.ndarray) -> list[int]:
    """Numbers that neighbours differ by 1 in; -0 is 0."""
    signed = array.view(f"i{array.itemsize}").tolist()
    if array.dtype.kind in "biu":
        return signed
    return [value if value >= 0 else -(value + (1 << (8 * array.itemsize - 1))) for value in signed]


# --- ONNX Runtime -----------------------------------------------------------------------------


def onnx_runtime(sets: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """What ONNX Runtime gives for each set, in words.

    A process answers for one folder after the other; where it dies, another goes on behind.
    """
    left = list(sets)
    command = [sys.executable, "-m", "tools.corpus_elsewhere", "--onnx-runtime"]
    while left:
        given = "".join(f"{place}\n" for place in left).encode()
        done = subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        answers = done.stdout.decode().splitlines()
        yield from zip(left, answers, strict=False)
        left = left[len(answers) :]
        if left and done.returncode:
            yield left.pop(0), f"dies: ended with {done.returncode}"


def _serve() -> None:
    import onnx
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    missing = onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented
    for line in sys.stdin:
        place = Path(line.rstrip("\n"))
        data = place / "test_data_set_0"
        try:
            session = onnxruntime.InferenceSession(place / "model.onnx", providers=["CPUExecutionProvider"])
            given = {
                value.name: onnx.numpy_helper.to_array(onnx.load_tensor(data / f"input_{k}.pb"))
                for k, value in enumerate(session.get_inputs())
            }
            want = onnx.numpy_helper.to_array(onnx.load_tensor(data / "output_0.pb"))
            answer = _compared(place, run_session(session, given)[0], want)
        except missing:
            answer = MISSING
        except Exception as error:  # whatever it says is its answer
            answer = f"refuses: {' '.join(str(error).split())[:200]}"
        print(answer, flush=True)


# --- the reference model ------------------------------------------------------------------------


def reference_model(sets: Sequence[Path], tools: Path) -> Iterator[tuple[Path, str]]:
    """What the reference model of an environment gives for each set, in words."""
    program = Program(tools)
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        yield from zip(sets, workers.map(lambda place: _model_answer(place, program), sets), strict=True)


def _model_answer(place: Path, program: Program) -> str:
    with tempfile.TemporaryDirectory() as results:
        command = [*program.command(place / "desc.json"), "--output_dir", results]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [""]
            return f"ends with {done.returncode}: {said[0][:200]}"
        (file,) = json.loads((place / "desc.json").read_text())["ofm_file"]
        (found,), (want,) = (read_tensors(path / file).values() for path in (Path(results), place))
        return _compared(place, found, want)


if __name__ == "__main__":
    sys.exit(main())

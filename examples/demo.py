"""The main job on a real photograph, from model files to a picture.

1. ONNX BitShift graphs pack RGB888 into RGB565 words and unpack them again.
2. A TOSA 0.23.0 graph computes fixed-point BT.601 luma with MUL, ADD and a rounding
   ARITHMETIC_RIGHT_SHIFT.
3. An ONNX graph of eight nodes runs the murmur3 finaliser over four million words.

The ONNX graphs run from .onnx files through the command line. Every result is compared with an
independent computation in NumPy. Writes demo-output/, with before-after.png to look at.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import lanewise as lw

OUT = Path("demo-output")
WORDS = 4_000_000


def pack_model() -> lw.Model:
    """r, g, b (uint8) → RGB565 words (uint16): five bits, six bits, five bits."""
    graph = lw.Builder(onnx=28, name="pack_rgb565")
    planes = [graph.node("Cast", graph.input(name, "uint8", ("height", "width")), to="uint16") for name in "rgb"]
    fields = []
    for plane, drop, move in zip(planes, (3, 2, 3), (11, 5, 0), strict=True):
        field = graph.node("BitShift", plane, graph.constant(np.uint16(drop)), direction="RIGHT")
        if move:
            field = graph.node("BitShift", field, graph.constant(np.uint16(move)), direction="LEFT")
        fields.append(field)
    red, green, blue = fields
    graph.output("packed", graph.node("BitwiseOr", graph.node("BitwiseOr", red, green), blue))
    return graph.model()


def unpack_model() -> lw.Model:
    """RGB565 words (uint16) → r, g, b (uint8); the dropped low bits repeat the high ones."""
    graph = lw.Builder(onnx=28, name="unpack_rgb565")
    packed = graph.input("packed", "uint16", ("height", "width"))

    def shifted(value, count, direction):
        return graph.node("BitShift", value, graph.constant(np.uint16(count)), direction=direction)

    for name, start, bits in (("r", 11, 5), ("g", 5, 6), ("b", 0, 5)):
        field = shifted(packed, start, "RIGHT") if start else packed
        field = graph.node("BitwiseAnd", field, graph.constant(np.uint16((1 << bits) - 1)))
        high = shifted(field, 8 - bits, "LEFT")
        full = graph.node("BitwiseOr", high, shifted(field, 2 * bits - 8, "RIGHT"))
        graph.output(name, graph.node("Cast", full, to="uint8"))
    return graph.model()


def luma_model(shape: tuple[int, int]) -> lw.Model:
    """BT.601 luma (77 r + 150 g + 29 b) / 256, rounded, on int16 planes."""
    graph = lw.Builder(tosa="0.23.0", profile="BI", name="luma")
    terms = []
    for name, weight in (("r", 77), ("g", 150), ("b", 29)):
        plane = graph.input(name, "int16", shape)
        terms.append(graph.node("MUL", plane, graph.constant([[weight]], "int16"), shift=0))
    total = graph.node("ADD", graph.node("ADD", terms[0], terms[1]), terms[2])
    graph.output("luma", graph.node("ARITHMETIC_RIGHT_SHIFT", total, graph.constant([[8]], "int32"), round=True))
    return graph.model()


def murmur3_model() -> lw.Model:
    """The murmur3 finaliser: three shifts, three exclusive ors, two products."""
    graph = lw.Builder(onnx=28, name="murmur3")
    h = graph.input("h", "uint32", ("n",))
    for count, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, None)):
        moved = graph.node("BitShift", h, graph.constant(np.uint32(count)), direction="RIGHT")
        h = graph.node("BitwiseXor", h, moved)
        if factor is not None:
            h = graph.node("Mul", h, graph.constant(np.uint32(factor)))
    graph.output("hash", h)
    return graph.model()


def command_line(model: Path, inputs: dict[str, Path], folder: Path = OUT) -> dict[str, np.ndarray]:
    """`lanewise run` as a person would call it."""
    arguments = ["run", str(model), "-o", str(folder), "--json"]
    for name, path in inputs.items():
        arguments += ["-i", f"{name}={path}"]
    print(f"$ lanewise {' '.join(arguments)}")
    done = subprocess.run([sys.executable, "-m", "lanewise", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr or done.stdout)
    report = json.loads(done.stdout)
    for name, output in report["outputs"].items():
        print(f"  {name}: {output['dtype']}{output['shape']}")
    print(f"  {report['status']}, {report['seconds'] * 1e3:.1f} ms (the first run of a graph compiles it)")
    return {name: np.load(output["file"]) for name, output in report["outputs"].items()}


def saved(name: str, array: np.ndarray) -> Path:
    path = OUT / f"{name}.npy"
    np.save(path, array)
    return path


def same(what: str, found: np.ndarray, expected: np.ndarray) -> None:
    """Prints the check against an independent computation; a difference ends the demo."""
    equal = found.dtype == expected.dtype and np.array_equal(found, expected)
    print(f"  {what}: {'equal' if equal else 'DIFFERENT'} to NumPy, {found.size:,} elements")
    if not equal:
        sys.exit(1)


def photograph() -> np.ndarray:
    """A photograph that matplotlib's package ships: Grace Hopper, by the United States Navy (public domain)."""
    from matplotlib.cbook import get_sample_data
    from PIL import Image

    with Image.open(get_sample_data("grace_hopper.jpg", asfileobj=False)) as image:
        return np.asarray(image.convert("RGB"))


def before_after(rgb: np.ndarray, again: np.ndarray, luma: np.ndarray) -> Path:
    """The photograph, what RGB565 leaves of it, and its luma, side by side."""
    from PIL import Image, ImageDraw

    height, width, _ = rgb.shape
    panels = [("RGB888 before", rgb), ("RGB565 and back", again), ("BT.601 luma", np.stack([luma] * 3, axis=-1))]
    sheet = Image.new("RGB", (len(panels) * (width + 10) + 10, height + 40), "white")
    draw = ImageDraw.Draw(sheet)
    for position, (title, pixels) in enumerate(panels):
        left = 10 + position * (width + 10)
        sheet.paste(Image.fromarray(np.ascontiguousarray(pixels)), (left, 30))
        draw.text((left, 8), title, fill="black")
    path = OUT / "before-after.png"
    sheet.save(path)
    return path


def main() -> None:
    OUT.mkdir(exist_ok=True)
    rgb = photograph()
    planes = {name: np.ascontiguousarray(rgb[..., k]) for k, name in enumerate("rgb")}
    print(f"photograph: {rgb.shape[1]} x {rgb.shape[0]} pixels\n")

    print("1. RGB888 to RGB565 and back (ONNX, from model files)")
    pack_model().save(OUT / "pack_rgb565.onnx")
    unpack_model().save(OUT / "unpack_rgb565.onnx")
    packed = command_line(OUT / "pack_rgb565.onnx", {n: saved(n, p) for n, p in planes.items()})["packed"]
    r, g, b = (plane.astype(np.uint16) for plane in planes.values())
    same("packed words", packed, (r >> 3 << 11) | (g >> 2 << 5) | b >> 3)
    channels = command_line(OUT / "unpack_rgb565.onnx", {"packed": OUT / "packed.npy"}, OUT / "unpacked")
    again = np.stack([channels[name] for name in "rgb"], axis=-1)
    five, six = ((np.arange(1 << bits) * 255 / ((1 << bits) - 1) + 0.5).astype(np.uint8) for bits in (5, 6))
    worst = max(
        int(np.abs(channels[name].astype(int) - ideal[plane >> drop]).max())
        for name, plane, ideal, drop in zip("rgb", planes.values(), (five, six, five), (3, 2, 3), strict=True)
    )
    expected = np.stack(
        [(p >> 3 << 3) | p >> 5 if k != 1 else (p >> 2 << 2) | p >> 6 for k, p in enumerate(planes.values())], axis=-1
    )
    same("unpacked channels", again, expected)
    print(f"  against ideal scaling: at most {worst} off in 255\n")

    print("2. BT.601 luma in fixed point (TOSA 0.23.0, through the Python interface)")
    model = luma_model(rgb.shape[:2])
    print(model)
    wide = {name: plane.astype(np.int16) for name, plane in planes.items()}
    model.run(wide)  # compiles
    started = time.perf_counter()
    outcome = model.run(wide)
    seconds = time.perf_counter() - started
    luma = outcome.outputs["luma"]
    print(f"  {outcome.status.value}, {seconds * 1e3:.2f} ms")
    total = sum(plane.astype(np.int64) * weight for plane, weight in zip(planes.values(), (77, 150, 29), strict=True))
    same("luma", luma, ((total + 128) // 256).astype(np.int32))
    picture = before_after(rgb, again, luma.astype(np.uint8))
    print(f"  before and after: {picture}\n")

    print(f"3. murmur3 finaliser over {WORDS:,} words (ONNX, from a model file)")
    murmur3_model().save(OUT / "murmur3.onnx")
    words = np.random.default_rng(2024).integers(0, 1 << 32, WORDS, dtype=np.uint32)
    hashed = command_line(OUT / "murmur3.onnx", {"h": saved("h", words)})["hash"]
    h = words.copy()
    for count, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        h ^= h >> np.uint32(count)
        h *= np.uint32(factor)
    same("hashes", hashed, h)
    compiled = lw.compile(lw.load(OUT / "murmur3.onnx"))
    result = np.empty_like(words)
    compiled(words, out=result)
    started = time.perf_counter()
    compiled(words, out=result)
    seconds = time.perf_counter() - started
    print(f"  once compiled: {seconds * 1e3:.2f} ms, {WORDS / seconds / 1e6:,.0f} million words a second")


if __name__ == "__main__":
    main()

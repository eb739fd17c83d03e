"""Three graphs that lanewise fuses into one loop each, on operands that break no requirement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import lanewise as lw
from benchmarks.measure import aligned, placed
from benchmarks.work import (
    FACTOR,
    HIGHEST,
    LOWEST,
    MURMUR_FACTORS,
    MURMUR_SHIFTS,
    PLACES,
    ZERO_POINT,
    Work,
)


class Graph(NamedTuple):
    name: str
    operation: str  # what peers know how to do
    build: Callable[[], lw.Model]
    draw: Callable[[np.random.Generator, int], tuple[np.ndarray, ...]]
    output: str

    def work(self, elements: int, seed: int = 11) -> Work:
        operands = self.draw(np.random.default_rng(seed), elements)
        return Work(self.operation, tuple(map(placed, operands)), aligned(elements, self.output))

    def ours(self, work: Work) -> Callable[[], Any]:
        """lanewise's turn at the work."""
        compiled, inputs, out = lw.compile(self.build()), work.inputs, work.out
        return lambda: compiled(*inputs, out=out)

    @property
    def units(self) -> int:
        return 0  # integers are exact


def murmur3() -> lw.Model:
    """ONNX: the finaliser of MurmurHash3, 8 nodes."""
    graph = lw.Builder(onnx=28, name="murmur3")
    h = graph.input("h", "uint32", ("n",))
    for k, places in enumerate(MURMUR_SHIFTS):
        moved = graph.node("BitShift", h, graph.constant(np.uint32(places)), direction="RIGHT")
        h = graph.node("BitwiseXor", h, moved)
        if k < len(MURMUR_FACTORS):
            h = graph.node("Mul", h, graph.constant(np.uint32(MURMUR_FACTORS[k])))
    graph.output("z", h)
    return graph.model()


def rgb565() -> lw.Model:
    """ONNX: planes of 8 bits a colour packed into words of 5, 6 and 5 bits, 7 nodes."""
    graph = lw.Builder(onnx=28, name="rgb565")
    red, green, blue = (graph.input(name, "uint16", ("n",)) for name in ("red", "green", "blue"))

    def moved(tensor, places: int, direction: str):
        return graph.node("BitShift", tensor, graph.constant(np.uint16(places)), direction=direction)

    high = moved(moved(red, 3, "RIGHT"), 11, "LEFT")
    middle = moved(moved(green, 2, "RIGHT"), 5, "LEFT")
    packed = graph.node("BitwiseOr", high, middle)
    graph.output("z", graph.node("BitwiseOr", packed, moved(blue, 3, "RIGHT")))
    return graph.model()


def requantise() -> lw.Model:
    """TOSA, with its checks: zero point off, scale with rounding, keep to int8's range, 5 nodes."""
    graph = lw.Builder(tosa="0.23.0", name="requantise")
    x = graph.input("x", "int32", ("n",))

    def number(value: int):
        return graph.constant(np.array([value], np.int32))

    scaled = graph.node("MUL", graph.node("SUB", x, number(ZERO_POINT)), number(FACTOR), shift=0)
    rounded = graph.node("ARITHMETIC_RIGHT_SHIFT", scaled, number(PLACES), round=True)
    limited = graph.node("MAXIMUM", rounded, number(LOWEST))
    graph.output("z", graph.node("MINIMUM", limited, number(HIGHEST)))
    return graph.model()


def _words(generator: np.random.Generator, size: int) -> tuple[np.ndarray, ...]:
    return (generator.integers(0, 1 << 32, size, np.uint32),)


def _planes(generator: np.random.Generator, size: int) -> tuple[np.ndarray, ...]:
    return tuple(generator.integers(0, 256, size, np.uint16) for _ in range(3))


def _sums(generator: np.random.Generator, size: int) -> tuple[np.ndarray, ...]:
    return (generator.integers(-(1 << 15), 1 << 15, size, np.int32),)


GRAPHS = (
    Graph("murmur3 finaliser (8 nodes)", "murmur3", murmur3, _words, "uint32"),
    Graph("RGB565 pack (7 nodes)", "rgb565", rgb565, _planes, "uint16"),
    Graph("requantisation (5 nodes)", "requantise", requantise, _sums, "int32"),
)

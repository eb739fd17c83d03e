"""Random ONNX graphs of the operators that lower to TOSA, and inputs for them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lanewise.engines.exact_kernel import from_patterns
from lanewise.graph.build import Tensor
from lanewise.graph.model import Model
from lanewise.language import floats
from lanewise.language.operator import Operator, Row
from lanewise.language.sorts import INTEGERS, Sort, boolean, f16, f32, i64, to_pattern
from lanewise.operators.catalogue import find
from tests.graph.random_graphs import Generator
from tests.operators.battery import interesting, random_patterns

OPSET = 28
SHAPES = ((3, 4, 5), (3, 4, 5), (2, 1, 3, 4), (6, 7), (4, 16), (33,), (8,), (1,), ())
MOST_ELEMENTS, HIGHEST_RANK = 400, 5
MOVES = ("Reshape", "Unsqueeze", "Expand")
DIVIDES = ("Div", "Mod")
NAMES = (
    *("BitShift", "BitShift", "BitShift"),  # as often as three others
    *("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "And", "Or", "Xor", "Not"),
    *("Add", "Sub", "Mul", "Div", "Mod", "Max", "Min", "Abs", "Neg", "Clip", "Cast", "Where"),
    *("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"),
    *MOVES,
)

Inputs = dict[str, np.ndarray]


class OnnxGraphs(Generator):
    """Builds one graph of opset 28 from a seed, in which every node leads to an output.

    Its nodes are about one or two integer types, or a float, and booleans, so that they feed one another.
    """

    def __init__(self, seed: int) -> None:
        super().__init__("onnx", seed, OPSET, modelled=True)
        self.base = self.random.choice(SHAPES)
        self.sorts = self._types()
        # No rule divides floats, or numbers in two words. A few graphs ask for it nevertheless.
        self.divides_all = self.random.random() < 0.1
        self.divisor = False
        records = [find("onnx", name, OPSET) for name in NAMES]
        self.operators = [record for record in records if self._rows(record)]

    def _types(self) -> set[Sort]:
        kind = self.random.choices(("one", "two", "float", "both", "booleans"), (12, 12, 4, 2, 1))[0]
        integers = self.random.sample(INTEGERS, 2 if kind == "two" else 1)
        real = self.random.choice((f32, f16))
        chosen = {"float": [real], "both": [real, integers[0]], "booleans": []}.get(kind, integers)
        return {boolean, *chosen}

    def _rows(self, operator: Operator) -> Sequence[Row]:
        if operator.name in MOVES:
            return [row for row in operator.rows if row.output in self.sorts]
        return [
            row for row in operator.rows if self.sorts >= {*row.inputs, row.output} and self._has_rule(operator, row)
        ]

    def _has_rule(self, operator: Operator, row: Row) -> bool:
        real = any(sort.kind == "float" for sort in (row.inputs[0], row.output) if isinstance(sort, Sort))
        wide = any(sort.width == 64 for sort in (row.inputs[0], row.output) if isinstance(sort, Sort))
        if operator.name == "Cast":
            return self.divides_all or not (real and wide)
        return self.divides_all or operator.name not in DIVIDES or not (real or wide)

    def _node(self, operator: Operator) -> int:
        if operator.name in MOVES:
            return self._move(operator)
        if operator.name not in DIVIDES:
            return super()._node(operator)
        self.divisor = self.random.random() < 0.7
        made = super()._node(operator)
        self.divisor = False
        return made

    def _attributes(self, operator: Operator, row: Row) -> dict[str, Any]:
        """Those that say something about these types: Cast's others are for 8-bit floats."""
        given = super()._attributes(operator, row)
        return {name: value for name, value in given.items() if name not in ("saturate", "round_mode")}

    def _move(self, operator: Operator) -> int:
        tensor = self._tensor(self.random.choice(self._rows(operator)).output, scalar=False)
        shape = next(shape for known, _, shape in self.tensors if known == tensor)
        numbers = getattr(self, f"_{operator.name.lower()}")(shape)
        if numbers is None:
            return 0
        return self._added(operator, [tensor, self.builder.constant(np.array(numbers, np.int64), i64)], {})

    def _reshape(self, shape: tuple[int, ...]) -> list[int]:
        size = math.prod(shape)
        halves = [2, size // 2] if size % 2 == 0 else [1, size]
        return list(self.random.choice(([size], [1, *shape][:HIGHEST_RANK], shape[::-1], [-1], halves, [-1, 1])))

    def _unsqueeze(self, shape: tuple[int, ...]) -> list[int] | None:
        return [self.random.randint(-len(shape) - 1, len(shape))] if len(shape) < HIGHEST_RANK else None

    def _expand(self, shape: tuple[int, ...]) -> list[int] | None:
        wanted = [size if size != 1 else self.random.choice((1, 2, 3)) for size in shape]
        if len(shape) < HIGHEST_RANK and self.random.random() < 0.5:
            wanted = [self.random.choice((1, 2)), *wanted]
        return wanted if math.prod(wanted) <= MOST_ELEMENTS else None

    def _tensor(self, sort: Sort, scalar: bool) -> Tensor:
        fitting = [tensor for tensor, kind, shape in self.tensors if kind == sort and (not scalar or shape == ())]
        if fitting and self.random.random() < 0.7:
            return self.random.choice(fitting[-4:])
        shape = () if scalar else tuple(1 if self.random.random() < 0.2 else size for size in self.base)
        if not scalar and self.random.random() < 0.2:
            shape = shape[self.random.randint(0, len(shape)) :]
        array = from_patterns(self._patterns(sort, math.prod(shape)), sort).reshape(shape)
        if self.random.random() < 0.3:
            tensor = self.builder.constant(array, sort)
        else:
            tensor = self.builder.input(f"in{len(self.arrays)}", sort, shape)
            self.arrays[tensor.name] = array
        self.tensors.append((tensor, sort, shape))
        return tensor

    def _patterns(self, sort: Sort, size: int) -> list[int]:
        """Small numbers, which are counts below the width and divisors that do no harm, or the edges as well."""
        small = [to_pattern(number, sort) for number in (1, 2, 3, 5, 7)] if sort.kind == "int" else []
        if small and (self.divisor or self.random.random() < 0.3):
            return [self.random.choice(small) for _ in range(size)]
        return random_patterns(sort, size, self.numbers)


def onnx_graph(seed: int, nodes: int) -> Model:
    model, _ = OnnxGraphs(seed).model(nodes)
    return model


def draws(model: Model, seed: int) -> Iterator[tuple[str, Inputs]]:
    """Inputs of several kinds by name: the edges of the types, any numbers, small numbers, all of them mixed."""
    generator = np.random.default_rng(seed)
    for kind in ("boundary", "random", "small", "mixed"):
        inputs: Inputs = {}
        for name, tensor in model.inputs.items():
            assert tensor.known_shape is not None and isinstance(tensor.sort, Sort)
            size = math.prod(tensor.known_shape)
            inputs[name] = from_patterns(_drawn(kind, tensor.sort, size, generator), tensor.sort).reshape(
                tensor.known_shape
            )
        yield kind, inputs


def _drawn(kind: str, sort: Sort, size: int, generator: np.random.Generator) -> list[int]:
    if kind == "mixed":
        return random_patterns(sort, size, generator)
    if kind == "boundary":
        return [int(p) for p in generator.choice(np.array(interesting(sort), np.uint64), size)]
    if kind == "random" or sort.kind == "bool":
        return [int(p) & ((1 << sort.width) - 1) for p in generator.integers(0, 1 << 64, size, np.uint64)]
    numbers = [int(n) for n in generator.integers(1, 9, size)]
    return [floats.encode(n / 4, sort) if sort.kind == "float" else to_pattern(n, sort) for n in numbers]

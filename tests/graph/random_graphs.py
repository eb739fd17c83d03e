"""Random graphs of every operator: what the tests of planning, fusing and formats run on."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lanewise.engines.exact_kernel import from_patterns
from lanewise.graph.build import Builder, Tensor
from lanewise.graph.model import Model, TensorType
from lanewise.language import floats
from lanewise.language.attributes import REQUIRED
from lanewise.language.errors import LanewiseError
from lanewise.language.operator import Operator, Row
from lanewise.language.sorts import ArraySort, Sort, from_pattern
from lanewise.operators.catalogue import default_version, find, versions_of
from tests.operators.battery import random_patterns

BASE = (3, 4, 5)


class Generator:
    """Builds one graph from a seed.

    With `calm` the values are small and the counts legal, so that most graphs are predictable;
    without, they sit at the edges of their types. With `modelled` the graph keeps to what the public
    TOSA reference model checks: it does not run operators that lead to no output, and lets a shift
    pass that MUL forbids for other types than int32. A POW is then an end, because its error grows.
    """

    def __init__(
        self, specification: str, seed: int, version: Any = None, *, calm: bool = False, modelled: bool = False
    ) -> None:
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.specification = specification
        self.calm = calm
        self.modelled = modelled
        version = version or default_version(specification)
        self.builder = Builder(**{specification: version}, name=f"{specification}-{seed}")
        self.operators = [find(specification, name, version) for name in versions_of(specification)]
        self.tensors: list[tuple[Tensor, Sort, tuple[int, ...]]] = []
        self.arrays: dict[str, np.ndarray] = {}
        self.ends: set[str] = set()  # results that no other node takes: they are near, not equal

    def model(self, nodes: int) -> tuple[Model, dict[str, np.ndarray]]:
        made = 0
        while made < nodes:
            made += self._node(self.random.choice(self.operators))
        outputs = [t for t in self.tensors if t[0].name.startswith("tensor")]
        chosen = [outputs[-1], *self.random.sample(outputs, min(len(outputs), self.random.randint(0, 2)))]
        if self.modelled:
            used = {name for node in self.builder._nodes for name in node.inputs}
            chosen = [t for t in outputs if t[0].name not in used]
        for position, (tensor, _, _) in enumerate(dict.fromkeys(chosen)):
            self.builder.output(f"out{position}", tensor)
        model = self.builder.model()
        return model, {name: self.arrays[name] for name in model.inputs}

    def _node(self, operator: Operator) -> int:
        if operator.constant:
            return 0
        row = self.random.choice(self._rows(operator))
        attributes = self._attributes(operator, row)
        operands: list[Any] = []
        keywords: dict[str, Any] = {}
        sorts = row.inputs * self.random.randint(1, 3) if operator.variadic else row.inputs
        for k, sort in enumerate(sorts):
            argument = operator.argument(k)
            if argument.use == "numbers":
                operands.append(self._shape_operand(operator))
                if operands[-1] is None and not argument.optional:
                    return 0
            elif argument.optional and self.random.random() < 0.3:
                operands.append(None)
            elif argument.use == "elements":
                operands.append(self._tensor(sort, scalar=argument.optional))
            else:
                name = list(operator.arguments)[k]
                keywords[name] = self._late(name, argument.use, sort, row)
        return self._added(operator, operands, {**keywords, **attributes})

    def _rows(self, operator: Operator) -> Sequence[Row]:
        return operator.rows

    def _added(self, operator: Operator, operands: Sequence[Tensor | None], keywords: Mapping[str, Any]) -> int:
        """1 if the node is one that there can be; else the graph is as it was."""
        try:
            tensor = self.builder.node(operator.name, *operands, **keywords)
            shape, sort = self._type(tensor)
        except LanewiseError:
            self.builder._nodes[:] = [
                n for n in self.builder._nodes if n.output in {t.name for t, _, _ in self.tensors}
            ]
            return 0
        self.tensors.append((tensor, sort, shape))
        if self.modelled and operator.name == "POW":
            self.ends.add(tensor.name)
        return 1

    def _type(self, tensor: Tensor) -> tuple[tuple[int, ...], Sort]:
        probe = Builder.__new__(Builder)
        probe.__dict__.update(self.builder.__dict__)
        probe._outputs = {}
        probe.output("probe", tensor)
        kind: TensorType = probe.model().types[tensor.name]
        assert kind.known_shape is not None
        assert isinstance(kind.sort, Sort)
        return kind.known_shape, kind.sort

    def _attributes(self, operator: Operator, row: Row) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for name, attribute in operator.attributes.items():
            if name == operator.output_attribute:
                result[name] = row.output.name
            elif self.modelled and (operator.name, name) == ("CAST", "input_unsigned"):
                continue  # files have no field for it
            elif attribute.choices:
                result[name] = self.random.choice(attribute.choices)
            elif attribute.default is REQUIRED:
                result[name] = {"min_val": -5, "max_val": 9, "new_shape": (60,)}.get(name, 0)
        return result

    def _late(self, name: str, use: str, sort: Any, row: Row) -> Any:
        if name.endswith("_zp"):
            return self.random.choice((0, 0, 3))
        if use == "scalar":
            scales = not self.modelled or row.inputs[0].name == "int32"
            return self.random.choice((0, 0, 1, 2, 7, 31, 62)) if scales else 0
        if use == "table":
            assert isinstance(sort, ArraySort)
            if self.calm:
                return [self.random.randint(-100, 100) for _ in range(sort.length)]
            return [from_pattern(p, sort.element) for p in random_patterns(sort.element, sort.length, self.numbers)]
        return [self.random.choice((2, 21, 30, 40) if name == "shift" else (1, 1 << 14, 12345, 32767))]

    def _patterns(self, sort: Sort, size: int) -> list[int]:
        if not self.calm:
            return random_patterns(sort, size, self.numbers)
        if sort.kind == "float":
            return [floats.encode(self.random.randint(1, 64) / 8, sort) for _ in range(size)]
        return [self.random.randint(sort.kind == "int", min(6, sort.highest)) for _ in range(size)]

    def _shape_operand(self, operator: Operator) -> Tensor | None:
        return self.builder.constant(np.array(self.random.choice([(60,), (12, 5), (3, 4, 5), (3, 20)]), np.int64))

    def _tensor(self, sort: Any, scalar: bool) -> Tensor:
        fitting = [
            t for t in self.tensors if t[1] == sort and (not scalar or t[2] == ()) and t[0].name not in self.ends
        ]
        if fitting and self.random.random() < 0.75:
            return self.random.choice(fitting[-6:])[0]
        shape = () if scalar else tuple(1 if self.random.random() < 0.2 else size for size in BASE)
        if self.specification == "onnx" and not scalar and self.random.random() < 0.2:
            shape = shape[self.random.randint(0, 3) :]
        size = int(np.prod(shape, dtype=np.int64))
        patterns = self._patterns(sort, size)
        array = from_patterns(patterns, sort).reshape(shape)
        if self.random.random() < 0.25:
            tensor = self.builder.constant(array, sort)
        else:
            name = f"in{len(self.arrays)}"
            tensor = self.builder.input(name, sort, shape)
            self.arrays[name] = array
        self.tensors.append((tensor, sort, shape))
        return tensor

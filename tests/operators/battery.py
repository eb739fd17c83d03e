"""What every operator must pass, for each row and each set of attributes.

`cases(...)` lists them; `case.check_meaning(opinion)` compares both engines with a second opinion
that does not use lanewise's language; `case.check_layouts()` compares every memory layout with the
contiguous one. Float opinions give a Python float (exact, or the host's float64) and are compared
after rounding to the sort; an opinion may also give UNPREDICTABLE.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanewise.engines.checks import masked
from lanewise.engines.exact import fold, number
from lanewise.engines.exact_kernel import ExactKernel, from_patterns, patterns
from lanewise.engines.native.kernel import kernel
from lanewise.engines.storage import dtype_of
from lanewise.language import floats
from lanewise.language.operator import UNPREDICTABLE, Operator, Row
from lanewise.language.sorts import ArraySort, Sort, from_pattern, to_pattern
from lanewise.language.words import Value, literal

RANDOM_ELEMENTS = 1500
_TAIL_LENGTHS = (*range(1, 20), 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257, 1000)


def interesting(sort: Sort) -> list[int]:
    """Patterns at the edges of a sort."""
    if sort.kind == "bool":
        return [0, 1]
    if sort.kind == "float":
        return _interesting_floats(sort)
    width = sort.width
    near_powers = [
        p + d for k in (1, 4, 7, 8, 15, 16, 31, 32, 63) if k < width for p in (1 << k, -(1 << k)) for d in (-1, 0, 1)
    ]
    counts = [width - 1, width, width + 1, -width, 2 * width]
    numbers = [sort.lowest, sort.lowest + 1, -2, -1, 0, 1, 2, 3, 5, 31, 32, sort.highest - 1, sort.highest]
    inside = {value for value in (*numbers, *near_powers, *counts) if sort.lowest <= value <= sort.highest}
    return [to_pattern(value, sort) for value in sorted(inside)]


def _interesting_floats(sort: Sort) -> list[int]:
    top = floats.infinity(sort)
    smallest_normal = 1 << sort.fraction_bits
    one = floats.encode(1.0, sort)
    positive = [0, 1, 2, smallest_normal - 1, smallest_normal, one - 1, one, one + 1, top - 1, top]
    positive += [floats.encode(value, sort) for value in (0.5, 1.5, 2.0, 2.5, 3.0, 7.0, 100.0, 255.0, 32767.5, 65504.0)]
    return [p | s for p in positive for s in (0, floats.sign_bit(sort))] + [floats.quiet_nan(sort)]


def random_patterns(sort: Sort, count: int, generator: np.random.Generator) -> list[int]:
    """Half of the values at the edges, a quarter small numbers, a quarter anything."""
    edges = interesting(sort)
    result = []
    for _ in range(count):
        draw = generator.random()
        if draw < 0.5:
            result.append(edges[int(generator.integers(len(edges)))])
        elif draw < 0.75 and sort.kind == "int":
            small = int(generator.integers(max(-70, sort.lowest), min(70, sort.highest) + 1))
            result.append(to_pattern(small, sort))
        else:
            result.append(
                int(generator.integers(0, 1 << sort.width, dtype=np.uint64, endpoint=False))
                if sort.width < 64
                else int(generator.integers(0, (1 << 64) - 1, dtype=np.uint64, endpoint=True))
            )
    return result


@dataclass(frozen=True)
class Case:
    """One row of one operator with fixed attributes; `fixed` are operands with one known value.

    An optional operand that is fixed at None is absent; `count` says how many a variadic operator gets.
    """

    operator: Operator
    row: Row
    attributes: Mapping[str, Any]
    fixed: Mapping[str, Any]
    count: int = 1

    def __str__(self) -> str:
        settings = {**self.attributes, **{k: v for k, v in self.fixed.items() if not isinstance(v, list)}}
        listing = ",".join(f"{k}={getattr(v, 'name', v)}" for k, v in settings.items())
        if self.operator.variadic:
            listing += f"{self.count}operands"
        return f"{self.operator.label}-{self.operator.release.since}-{self.row}-{listing}".replace(" ", "")

    @property
    def names(self) -> list[str]:
        return self.operator.argument_names(len(self.types))

    @property
    def types(self) -> tuple[Any, ...]:
        """The sorts that the definition sees: None for what is absent, or read before elements are."""
        if self.operator.variadic:
            return self.row.inputs * self.count
        return tuple(
            None if argument.use == "numbers" or self.fixed.get(name, 0) is None else sort
            for (name, argument), sort in zip(self.operator.arguments.items(), self.row.inputs, strict=True)
        )

    def function(self) -> Any:
        attributes = self.operator.read_attributes(self.attributes)
        known: dict[int, Value] = {}
        for k, (name, sort) in enumerate(zip(self.names, self.types, strict=True)):
            if name in self.fixed and isinstance(sort, Sort):
                known[k] = literal(self.fixed[name], sort)
        return self.operator.function(self.types, self.row.output, attributes, known)

    def free(self) -> list[tuple[int, str, Any]]:
        """Operands that vary: index, name, sort."""
        return [
            (k, name, sort)
            for k, (name, sort) in enumerate(zip(self.names, self.types, strict=True))
            if name not in self.fixed and sort is not None
        ]

    # -- operands -----------------------------------------------------------------------

    def rows_of_patterns(self, exhaustive: int = 16) -> list[list[int]]:
        """Columns of patterns for the free operands: all where that few bits decide, else edges and random."""
        sorts = [sort for _, _, sort in self.free()]
        generator = np.random.default_rng(0x1A7E)
        if sum(sort.width for sort in sorts) <= exhaustive:
            table = itertools.product(*(range(1 << sort.width) for sort in sorts))
            return [list(column) for column in zip(*table, strict=True)]
        edges = [interesting(sort) for sort in sorts]
        if len(sorts) > 2:
            edges = [values[:: max(1, len(values) // 12)] for values in edges]
        columns = [list(column) for column in zip(*itertools.product(*edges), strict=True)]
        for column, sort in zip(columns, sorts, strict=True):
            column += random_patterns(sort, RANDOM_ELEMENTS, generator)
        return columns

    def arrays(self, columns: Sequence[Sequence[int]]) -> list[Any]:
        """All operands of the traced function, in its order: columns for the free ones, tables as they are."""
        found = []
        position = 0
        for name, sort in zip(self.names, self.types, strict=True):
            if sort is None:
                continue
            if name not in self.fixed:
                found.append(from_patterns(columns[position], sort))
                position += 1
            elif isinstance(sort, ArraySort):
                found.append(np.array(self.fixed[name], dtype_of(sort)))
        return found

    # -- checks -------------------------------------------------------------------------

    def check_meaning(
        self, opinion: Callable[..., Any], *, ulps: int = 0, any_nan: bool = False, exhaustive: int = 16
    ) -> None:
        """native = exact = the second opinion, on every element, the unpredictable ones included.

        `any_nan`: the opinion only says that a result is NaN, not which one (where elements are moved, their
        bits stay as they are, and an opinion gets numbers).
        """
        function = masked(self.function())
        columns = self.rows_of_patterns(exhaustive)
        operands = self.arrays(columns)
        shape = (len(columns[0]),)
        (exact, exact_mask), _ = ExactKernel(fold(function))(operands, shape)
        (native, native_mask), _ = kernel(function)(operands, shape)
        np.testing.assert_array_equal(native_mask, exact_mask, err_msg="unpredictable elements: native, exact")
        self._same(native, exact, ~exact_mask, columns, "native, exact", ulps)
        if ulps == 0:  # the value of an unpredictable element is harmless and the same in both engines
            self._same(native, exact, exact_mask, columns, "native, exact where unpredictable", 0)
        want, mask = self._opinions(opinion, columns)
        np.testing.assert_array_equal(exact_mask, mask, err_msg="unpredictable elements: exact, second opinion")
        where = ~mask
        if any_nan and self.row.output.kind == "float":
            nans = [[floats.is_nan(p, self.row.output) for p in patterns(a, self.row.output)] for a in (exact, want)]
            where &= ~np.logical_and(*nans)
        self._same(exact, want, where, columns, "exact, second opinion", ulps)

    def _opinions(self, opinion: Callable[..., Any], columns: Sequence[Sequence[int]]) -> tuple[Any, Any]:
        sort = self.row.output
        free, names, attributes = self.free(), self.names, self._opinion_attributes()
        found, mask = [], []
        for row in zip(*columns, strict=True):
            values = {name: number(pattern, s) for (_, name, s), pattern in zip(free, row, strict=True)}
            values |= self.fixed
            result = opinion(*[values.get(name) for name in names], **attributes)
            mask.append(result is UNPREDICTABLE)
            found.append(0 if result is UNPREDICTABLE else _pattern(result, sort))
        return from_patterns(found, sort), np.array(mask)

    def _opinion_attributes(self) -> dict[str, Any]:
        return {**self.operator.read_attributes(self.attributes), "row": self.row}

    def _same(self, a: Any, b: Any, where: Any, columns: Any, what: str, ulps: int) -> None:
        sort = self.row.output
        left, right = np.array(patterns(a, sort), dtype=object), np.array(patterns(b, sort), dtype=object)
        differs = (left != right) & where
        if ulps and differs.any():
            distance = np.array([_distance(x, y, sort) for x, y in zip(left, right, strict=True)])
            differs &= distance > ulps
        if differs.any():
            at = int(differs.argmax())
            values = {name: number(column[at], s) for (_, name, s), column in zip(self.free(), columns, strict=True)}
            raise AssertionError(
                f"{self}: {what} differ at {int(differs.sum())} elements; first {values} {dict(self.fixed)}: "
                f"{number(int(left[at]), sort)!r} ({int(left[at]):#x}), "
                f"{number(int(right[at]), sort)!r} ({int(right[at]):#x})"
            )

    def check_layouts(self) -> None:
        """Strided, reversed, transposed, broadcast, rank 0, empty, unaligned, swapped: always the same elements."""
        function = masked(self.function())
        columns = self.rows_of_patterns(exhaustive=8)
        generator = np.random.default_rng(7)
        pick = generator.integers(0, len(columns[0]), 1000)
        operands = self.arrays([[column[i] for i in pick] for column in columns])
        tables = [isinstance(sort, ArraySort) for sort in function.inputs]
        run = kernel(function)
        (want, want_mask), _ = run(operands, (1000,))

        def same(views: Sequence[Any], expected: Any, expected_mask: Any, what: str) -> None:
            (found, mask), _ = run(views, expected.shape)
            np.testing.assert_array_equal(_bits(found), _bits(expected), err_msg=f"{self}: {what}")
            np.testing.assert_array_equal(mask, expected_mask, err_msg=f"{self}: {what}, unpredictable")

        def each(view: Callable[[Any], Any]) -> list[Any]:
            return [array if table else view(array) for array, table in zip(operands, tables, strict=True)]

        for length in _TAIL_LENGTHS:
            same(each(lambda a, n=length: a[:n]), want[:length], want_mask[:length], f"the first {length}")
        same(each(lambda a: a[::3]), want[::3], want_mask[::3], "strided")
        same(each(lambda a: a[::-1]), want[::-1], want_mask[::-1], "reversed")
        same(each(lambda a: a[::-2]), want[::-2], want_mask[::-2], "reversed and strided")
        grid, grid_mask = want.reshape(25, 40), want_mask.reshape(25, 40)
        same(each(lambda a: a.reshape(25, 40).T), grid.T, grid_mask.T, "transposed")
        same(each(lambda a: a.reshape(25, 40)[::2, 1::3]), grid[::2, 1::3], grid_mask[::2, 1::3], "a window")
        same(each(lambda a: np.asfortranarray(a.reshape(25, 40))), grid, grid_mask, "column-major")
        same(each(lambda a: a[:1].reshape(())), want[:1].reshape(()), want_mask[:1].reshape(()), "rank 0")
        same(each(lambda a: a[:0]), want[:0], want_mask[:0], "empty")
        same(each(_unaligned), want, want_mask, "unaligned")
        same(each(_read_only), want, want_mask, "read-only")
        if all(array.dtype.name != "bfloat16" for array in operands):
            same(each(lambda a: a.astype(a.dtype.newbyteorder())), want, want_mask, "the other byte order")
        self._check_broadcast(run, operands, tables)

    def _check_broadcast(self, run: Any, operands: Sequence[Any], tables: Sequence[bool]) -> None:
        """Each operand in turn as a row, a column, a number, while the others are a grid."""
        for lone, is_table in enumerate(tables):
            if is_table:
                continue
            for shape, what in (((1, 40), "row"), ((25, 1), "column"), ((1, 1), "one element"), ((40,), "short rank")):
                size = math.prod(shape)
                views = [
                    a if t else (a[:size].reshape(shape) if k == lone else a.reshape(25, 40))
                    for k, (a, t) in enumerate(zip(operands, tables, strict=True))
                ]
                if len(operands) - sum(tables) == 1:
                    continue
                full = [
                    a if t else np.ascontiguousarray(np.broadcast_to(a, (25, 40)))
                    for a, t in zip(views, tables, strict=True)
                ]
                (want, want_mask), _ = run(full, (25, 40))
                (found, mask), _ = run(views, (25, 40))
                np.testing.assert_array_equal(_bits(found), _bits(want), err_msg=f"{self}: operand {lone} a {what}")
                np.testing.assert_array_equal(mask, want_mask, err_msg=f"{self}: operand {lone} a {what}")


def _pattern(value: Any, sort: Sort) -> int:
    if sort.kind == "float":
        return floats.encode(
            value if isinstance(value, float) or not isinstance(value, int | bool) else float(value), sort
        )
    assert sort.kind == "bool" or sort.lowest <= value <= sort.highest, f"the opinion {value} is outside {sort}"
    return to_pattern(value, sort)


def _distance(a: int, b: int, sort: Sort) -> int:
    """Floats between two patterns; NaN is far from everything but itself."""
    if floats.is_nan(a, sort) or floats.is_nan(b, sort):
        return 0 if floats.is_nan(a, sort) and floats.is_nan(b, sort) else 1 << 64
    left, right = (-(p & (floats.sign_bit(sort) - 1)) if p & floats.sign_bit(sort) else p for p in (a, b))
    return abs(left - right)


def _bits(array: Any) -> Any:
    return np.ascontiguousarray(array).view(np.uint8) if array.size else array.astype(np.uint8)


def _unaligned(array: Any) -> Any:
    buffer = np.zeros(array.nbytes + 1, np.uint8)
    view = buffer[1:].view(array.dtype)
    view[...] = array
    return view


def _read_only(array: Any) -> Any:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def cases(
    operator: Operator, attributes: Sequence[Mapping[str, Any]] = ({},), count: int = 1, **fixed: Sequence[Any]
) -> Iterator[Case]:
    """Every row with every set of attributes and every combination of fixed operands."""
    for row in operator.rows:
        for settings in attributes:
            wanted = settings.get(operator.output_attribute or "")
            if wanted is not None and wanted != row.output:
                continue
            for values in itertools.product(*fixed.values()):
                yield Case(operator, row, settings, dict(zip(fixed, values, strict=True)), count)


def check_examples(operator: Operator) -> None:
    """The record's own examples on both engines."""
    assert operator.examples, f"{operator.label} has no examples"
    for example in operator.examples:
        attributes = operator.read_attributes(example.attributes)
        row = operator.row(example.types, attributes)
        function = masked(operator.function(example.types, row.output, attributes))
        operands = [
            np.array(value, dtype_of(sort))
            for value, sort in zip(example.operands, example.types, strict=True)
            if sort is not None
        ]
        for run in (kernel(function), ExactKernel(function)):
            (result, mask), _ = run(operands, ())
            if example.result is UNPREDICTABLE:
                assert mask, f"{operator.label} {example}: predictable, {result}"
            else:
                assert not mask, f"{operator.label} {example}: unpredictable"
                want = from_patterns([_pattern(example.result, row.output)], row.output).reshape(())
                np.testing.assert_array_equal(
                    _bits(result.reshape(1)), _bits(want.reshape(1)), err_msg=f"{operator.label} {example}"
                )


__all__ = ["UNPREDICTABLE", "Case", "cases", "check_examples", "from_pattern", "interesting"]

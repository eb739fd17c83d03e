"""Emitted text, compiled and run: by gcc with the undefined-behaviour sanitizer, and by Icarus Verilog.

Many functions go through one program or one simulation. Vectors in, results and flags out; `compare` holds
them against lanewise's own engine, unpredictable elements included.
"""

from __future__ import annotations

import itertools
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lanewise.engines.checks import masked
from lanewise.engines.exact_kernel import ExactKernel, from_patterns, patterns
from lanewise.engines.native.kernel import kernel
from lanewise.engines.storage import dtype_of, storage_width
from lanewise.engines.text import c99, systemverilog
from lanewise.engines.text.unit import Unit
from lanewise.graph.emit import operator_unit
from lanewise.language.attributes import REQUIRED
from lanewise.language.errors import InvalidError
from lanewise.language.nodes import KINDS, Node, constant, node
from lanewise.language.sorts import ArraySort, Sort, bits, boolean, carrier, integer
from lanewise.language.words import Function
from lanewise.operators.catalogue import find
from tests.operators.battery import interesting, random_patterns

GCC = [
    "gcc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wmissing-prototypes",
    "-fsanitize=undefined", "-fno-sanitize-recover",
]  # fmt: skip
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
needs_iverilog = pytest.mark.skipif(
    shutil.which("iverilog") is None, reason="needs Icarus Verilog (iverilog), which simulates the emitted modules"
)


@dataclass(frozen=True)
class Job:
    """A unit, and one column of patterns for each operand that varies (a table's column is its entries)."""

    unit: Unit
    columns: tuple[Sequence[int], ...]

    @property
    def free(self) -> list[int]:
        """The operands that are parameters of the text."""
        return [k for k in range(len(self.unit.operands)) if k not in self.unit.tables]

    @property
    def count(self) -> int:
        sorts = self.unit.function.inputs
        return max(
            (len(c) for c, k in zip(self.columns, self.free, strict=True) if isinstance(sorts[k], Sort)), default=1
        )

    def want(self, oracle: bool = False) -> tuple[list[int], list[int]]:
        """The patterns of the results and flags, by lanewise's fast engine or its oracle."""
        function = masked(self.unit.function)
        columns = dict(zip(self.free, self.columns, strict=True)) | dict(self.unit.tables)
        operands = [
            from_patterns(columns[k], sort.element if isinstance(sort, ArraySort) else sort)
            for k, sort in enumerate(function.inputs)
        ]
        run: Any = ExactKernel(function) if oracle else kernel(function)
        (result, flags), _ = run(operands, (self.count,))
        return patterns(result, function.outputs[0]), patterns(flags, function.outputs[1])


# --- C ------------------------------------------------------------------------------------


def merged(texts: Sequence[str]) -> str:
    """Several files as one: what they share (headers, helper functions) stands once."""
    parts = [part.strip("\n") for text in texts for part in text.split("\n\n")]
    return "\n\n".join(dict.fromkeys(parts)) + "\n"


def run_c(jobs: Sequence[Job], folder: Path) -> Iterator[tuple[Job, list[int], list[int]]]:
    """What the compiled C says, for each job."""
    texts = [c99.write(job.unit) for job in jobs]
    body, calls, data = [], [], []
    for number, job in enumerate(jobs):
        body.append(_c_loop(number, job))
        calls.append(f"    run_{number}(in, out);")
        for k, column in zip(job.free, job.columns, strict=True):
            sort = job.unit.function.inputs[k]
            data.append(from_patterns(column, sort.element if isinstance(sort, ArraySort) else sort).tobytes())
    driver = "\n\n".join(
        [
            "#include <stdio.h>",
            "#include <stdlib.h>",
            "static void take(void *to, size_t size, size_t count, FILE *in)\n"
            "{\n    if (fread(to, size, count, in) != count)\n        exit(9);\n}",
            *body,
            "int main(int count, char **names)\n{\n"
            '    FILE *in = count == 3 ? fopen(names[1], "rb") : NULL, *out = in ? fopen(names[2], "wb") : NULL;\n'
            "    if (!out)\n        return 8;\n" + "\n".join(calls) + "\n    return fclose(out) != 0;\n}",
        ]
    )
    (folder / "all.c").write_text(merged(texts) + "\n" + driver + "\n")
    (folder / "in").write_bytes(b"".join(data))
    build([str(folder / "all.c"), "-o", str(folder / "all"), "-lm"])
    done = subprocess.run([folder / "all", folder / "in", folder / "out"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    content, at = (folder / "out").read_bytes(), 0
    for job in jobs:
        sort = job.unit.function.outputs[0]
        size = dtype_of(sort).itemsize
        result = np.frombuffer(content, dtype_of(sort), job.count, at)
        flags = np.frombuffer(content, np.uint8, job.count, at + size * job.count)
        at += (size + 1) * job.count
        yield job, patterns(result, sort), flags.tolist()
    assert at == len(content)


def build(arguments: Sequence[str]) -> None:
    done = subprocess.run([*GCC, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]


def _c_type(sort: Sort) -> str:
    if sort.kind == "bool":
        return "bool"
    if sort.kind == "float":
        return {16: "uint16_t", 32: "float", 64: "double"}[sort.width]
    return f"{'int' if sort.signed else 'uint'}{storage_width(sort)}_t"


def _c_loop(number: int, job: Job) -> str:
    unit, count = job.unit, job.count
    lines, arguments = [], []
    for k in job.free:
        sort = unit.function.inputs[k]
        element, size = (sort.element, sort.length) if isinstance(sort, ArraySort) else (sort, count)
        lines += [
            f"    {_c_type(element)} *a{k} = malloc({size} * sizeof *a{k});",
            f"    take(a{k}, sizeof *a{k}, {size}, in);",
        ]
        arguments.append(f"a{k}" if isinstance(sort, ArraySort) else f"a{k}[i]")
    kind = _c_type(unit.function.outputs[0])
    lines += [
        f"    {kind} *results = malloc({count} * sizeof *results);",
        f"    bool *flags = malloc({count});",
        f"    for (size_t i = 0; i < {count}; i++) {{",
        "        bool flag = false;",
        f"        results[i] = {unit.name}({', '.join([*arguments, '&flag'])});",
        "        flags[i] = flag;",
        "    }",
        f"    fwrite(results, sizeof *results, {count}, out);",
        f"    fwrite(flags, 1, {count}, out);",
        *(f"    free(a{k});" for k in job.free),
        "    free(results);\n    free(flags);",
    ]
    return f"static void run_{number}(FILE *in, FILE *out)\n{{\n" + "\n".join(lines) + "\n}"


# --- SystemVerilog ------------------------------------------------------------------------


def run_sv(jobs: Sequence[Job], folder: Path) -> Iterator[tuple[Job, list[int], list[int]]]:
    """What Icarus Verilog says, for each job."""
    (folder / "all.sv").write_text("\n".join(systemverilog.write(job.unit) for job in jobs))
    declared, loops = [], []
    for number, job in enumerate(jobs):
        elements = [k for k in job.free if isinstance(job.unit.function.inputs[k], Sort)]
        widths = {k: job.unit.function.inputs[k].width for k in elements}  # type: ignore[union-attr]
        columns = dict(zip(job.free, job.columns, strict=True))
        total = sum(widths.values())
        with (folder / f"in{number}").open("w") as file:
            for row in zip(*(columns[k] for k in elements), strict=True):
                packed = 0
                for k, value in zip(elements, row, strict=True):
                    packed = packed << widths[k] | value
                file.write(f"{packed:x}\n")
        ports = []
        for k in job.free:
            sort = job.unit.function.inputs[k]
            if isinstance(sort, ArraySort):
                size = sort.element.width
                packed = sum(entry << size * at for at, entry in enumerate(columns[k]))
                declared.append(
                    f"  wire [{size * sort.length - 1}:0] a{number}_{k} = {size * sort.length}'h{packed:x};"
                )
            else:
                declared.append(f"  reg [{widths[k] - 1}:0] a{number}_{k};")
            ports.append(f"a{number}_{k}")
        declared += [
            f"  reg [{total - 1}:0] in{number} [0:{job.count - 1}];",
            f"  wire [{job.unit.function.outputs[0].width - 1}:0] r{number};",
            f"  wire u{number};",
            f"  {job.unit.name} m{number} ({', '.join([*ports, f'r{number}', f'u{number}'])});",
        ]
        loops += [
            f'    $readmemh("in{number}", in{number});',
            f'    file = $fopen("out{number}", "w");',
            f"    for (i = 0; i < {job.count}; i = i + 1) begin",
            f"      {{{', '.join(f'a{number}_{k}' for k in elements)}}} = in{number}[i];",
            f'      #1 $fwrite(file, "%h %b\\n", r{number}, u{number});',
            "    end",
            "    $fclose(file);",
        ]
    bench = ["module bench;", "  integer file, i;", *declared, "  initial begin", *loops, "  end", "endmodule", ""]
    (folder / "bench.sv").write_text("\n".join(bench))
    command = ["iverilog", "-g2012", "-Wall", "-Wno-timescale", "-s", "bench", "-o", "all.vvp", "all.sv", "bench.sv"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    # Icarus says so where a block reads a part of a word; it then watches the whole word, which is as good.
    said = [line for line in done.stderr.splitlines() if "all.sv" in line and "sorry: constant selects" not in line]
    assert done.returncode == 0 and not said, done.stderr[:4000]
    done = subprocess.run(
        ["vvp", "-n", "all.vvp"], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout[:2000]
    for number, job in enumerate(jobs):
        words = (folder / f"out{number}").read_text().split()
        assert len(words) == 2 * job.count
        yield job, [int(word, 16) for word in words[::2]], [int(word) for word in words[1::2]]  # an X is no number


# --- what is run --------------------------------------------------------------------------


def compare(found: Iterator[tuple[Job, list[int], list[int]]], oracle: bool = False, units: int = 0) -> int:
    """How many elements were compared; the first difference is an error that shows the operands.

    `units`: in the last place of a float, by which two powers may differ.
    """
    total = 0
    for job, results, flags in found:
        want, broken = job.want(oracle)
        total += len(want)
        if units:
            results = [w if abs(r - w) <= units else r for r, w in zip(results, want, strict=True)]
        if results != want or flags != broken:
            at = next(i for i in range(len(want)) if results[i] != want[i] or flags[i] != broken[i])
            sorts = job.unit.function.inputs
            operands = [
                hex(column[at]) for k, column in zip(job.free, job.columns, strict=True) if isinstance(sorts[k], Sort)
            ]
            raise AssertionError(
                f"{job.unit.name} of {', '.join(operands)}: text {results[at]:#x}, unpredictable {flags[at]}; "
                f"lanewise {want[at]:#x}, {broken[at]}"
            )
    return total


def columns_for(sorts: Sequence[Any], randoms: int = 400, exhaustive: int = 16) -> tuple[Sequence[int], ...]:
    """All pairs of up to 16 bits; with narrow further operands at their edges; else edges and random."""
    elements = [sort for sort in sorts if isinstance(sort, Sort)]
    generator = np.random.default_rng(7)
    narrow = [sort for sort in elements if sort.width <= 8]
    if len(narrow) == len(elements) and sum(sort.width for sort in elements[:2]) <= exhaustive:
        choices: list[Sequence[int]] = [range(1 << sort.width) for sort in elements[:2]]
        choices += [interesting(sort)[::3] for sort in elements[2:]]
        found = [list(column) for column in zip(*itertools.product(*choices), strict=True)]
    else:
        edges = [interesting(sort) for sort in elements]
        if len(edges) > 2:
            each = int(4000 ** (1 / len(edges)))
            edges = [values[:: -(-len(values) // each)] for values in edges]
        found = [list(column) for column in zip(*itertools.product(*edges), strict=True)]
        for column, sort in zip(found, elements, strict=True):
            column += random_patterns(sort, randoms, generator)
    queue = iter(found)
    tables = [
        tuple(int(v) for v in generator.integers(0, 1 << s.element.width, s.length)) if isinstance(s, ArraySort) else ()
        for s in sorts
    ]
    return tuple(next(queue) if isinstance(s, Sort) else tables[k] for k, s in enumerate(sorts))


def job(unit: Unit, **more: Any) -> Job:
    free = [sort for k, sort in enumerate(unit.function.inputs) if k not in unit.tables]
    return Job(unit, columns_for(free, **more))


NEEDED = {"CLAMP": {"min_val": -3, "max_val": 100}}  # attributes that have neither choices nor a default


def operator_jobs(
    specification: str, version: Any, names: Sequence[str], floats: bool = False, most: int = 1000, **more: Any
) -> list[Job]:
    """Rows of these operators without floats (or those with them), with every set of attributes.

    At most so many for each operator, spread over all.
    """
    found: list[Job] = []
    for name in names:
        units = list(_units(specification, version, name, floats))
        for unit in units[:: -(-len(units) // most) or 1]:
            found.append(job(replace(unit, name=f"{unit.name}_{len(found)}"), **more))
    return found


def _units(specification: str, version: Any, name: str, floats: bool) -> Iterator[Unit]:
    record = find(specification, name, version)
    if record.constant:
        return
    settings = [
        dict(zip(record.attributes, values, strict=True))
        for values in itertools.product(*(a.choices or (a.default,) for a in record.attributes.values()))
    ]
    for row, given in itertools.product(record.rows, settings):
        uses = [argument.use for argument in record.arguments.values()]
        listed = [sort for sort, use in zip(row.inputs, uses, strict=True) if use != "numbers"]
        kinds = {(s.element if isinstance(s, ArraySort) else s) for s in (*listed, row.output)}
        if any(sort.kind == "float" for sort in kinds) != floats:
            continue
        elements = [sort for sort, use in zip(row.inputs, uses, strict=True) if use == "elements"]
        own = {key: value for key, value in given.items() if value is not REQUIRED and value is not None}
        own |= NEEDED.get(name, {})
        if record.output_attribute:
            own[record.output_attribute] = row.output
        try:
            yield operator_unit(name, elements, version, own)
        except InvalidError:
            if name != "RESCALE":  # which forbids some of its attributes together
                raise


def kind_jobs(widths: Sequence[int]) -> list[Job]:
    """One job for each kind of node on words of these widths: exhaustive up to five bits."""
    found = []

    def add(name: str, sorts: list[Any], root: Node) -> None:
        assert isinstance(root.sort, Sort)
        function = Function(tuple(map(author, sorts)), (author(root.sort),), (root,))
        unit = Unit(f"kind_{name}", function, tuple("abc"[: len(sorts)]), ())
        found.append(job(unit, randoms=60))

    for width in widths:
        word = bits(width)
        for kind, row in KINDS.items():
            if row.operands in ("bits", "word") and row.result != "data":
                sorts = [word] * row.arity
                add(f"{kind}_{width}", sorts, node(kind, *inputs(sorts)))
        add(f"ite_{width}", [boolean, word, word], node("ite", *inputs([boolean, word, word])))
        for count in {0, width - 1, width}:
            if count < 1 << width:
                for kind in ("shl", "lshr", "ashr"):
                    (a,) = inputs([word])
                    add(f"{kind}_{width}_by_{count}", [word], node(kind, a, constant(count, word)))
        for pattern in {0, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1}:
            for kind in ("ult", "ule", "slt", "sle"):
                (a,) = inputs([word])
                add(f"{kind}_{width}_{pattern}_right", [word], node(kind, a, constant(pattern, word)))
                add(f"{kind}_{width}_{pattern}_left", [word], node(kind, constant(pattern, word), a))
        for wide in {width + 1, 64}:
            if width < wide <= 64:
                add(f"zext_{width}_{wide}", [word], node("zext", *inputs([word]), sort=bits(wide)))
                add(f"sext_{width}_{wide}", [word], node("sext", *inputs([word]), sort=bits(wide)))
                add(f"trunc_{wide}_{width}", [bits(wide)], node("trunc", *inputs([bits(wide)]), sort=word))
        for length in (5, 300):
            array = ArraySort(integer(min(width, 16), True), length)
            add(f"lookup_{width}_{length}", [array, word], node("lookup", *inputs([array, word])))
    for kind in ("and", "or", "xor", "eq"):
        add(f"{kind}_bool", [boolean, boolean], node(kind, *inputs([boolean, boolean])))
    add("not_bool", [boolean], node("not", *inputs([boolean])))
    return found


def author(sort: Any) -> Any:
    """A sort that a function may have as operand or result, for a carrier."""
    return integer(sort.width, sort.width % 2 == 0) if isinstance(sort, Sort) and sort.kind == "bits" else sort


def inputs(sorts: Sequence[Any]) -> list[Node]:
    return [node("input", data=k, sort=carrier(sort)) for k, sort in enumerate(sorts)]

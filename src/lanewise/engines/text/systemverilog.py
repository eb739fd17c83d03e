"""SystemVerilog: one combinational module for one element, synthesisable, its requirement as an output.

Every step is a variable without sign, as wide as its node, so that no expression is widened or read with a
sign behind the author's back; all are set in one block, in order, so that a simulator computes each once.
Known inputs never give an X: divisors and shift counts are guarded.
"""

from __future__ import annotations

from lanewise.engines.text import systemverilog_helpers as sv
from lanewise.engines.text.systemverilog_helpers import literal, vector
from lanewise.engines.text.unit import (
    Operand,
    Rule,
    Unit,
    Writer,
    constant_of,
    length,
    of_type,
    sort,
    width,
)
from lanewise.language.nodes import Node
from lanewise.language.sorts import AnySort, ArraySort, Sort

FLOAT_REASON = "synthesisable SystemVerilog has no floats"


class SystemVerilog(Writer):
    language = "SystemVerilog"

    def __init__(self, unit: Unit) -> None:
        super().__init__(unit, RULES)
        self.declared: list[str] = []

    def accepts(self, sort: AnySort) -> None:
        element = of_type(sort)
        if element.kind == "float":
            raise self.refuse(element.name, FLOAT_REASON)

    def carries(self, sort: AnySort) -> bool:
        return True  # a port of so many bits

    def constant(self, pattern: int, sort: Sort) -> str:
        return literal(pattern, sort.width)

    def step(self, name: str, node: Node, expression: str) -> str:
        self.declared.append(f"  logic {_vector(sort(node))}{name};")
        return f"    {name} = {expression};"

    def words(self, kind: str, width: int) -> str:
        """The name of a helper for words of a width, which the text then has."""
        name = f"lw_{kind}_{width}"
        self.helpers.setdefault(name, sv.WORDS[kind](width))
        return name

    def text(self) -> str:
        lines, result, checks = self.steps()
        output = self.function.outputs[0]
        ports = [_port(operand) for operand in self.operands if operand.entries is None]
        ports += [f"output logic {_typed(output)}result", "output logic unpredictable"]
        bits = [
            f"  wire {_vector(operand.sort)}{_bits_name(operand)} = {operand.name};"
            for k, operand in enumerate(self.operands)
            if k in self.used and isinstance(operand.sort, Sort) and _bits_name(operand) != operand.name
        ]
        broken = [
            f"  // required: {reason}\n  wire lw_broken_{k} = ~{text};" for k, (text, reason) in enumerate(checks)
        ]
        flag = " | ".join(f"lw_broken_{k}" for k in range(len(checks))) or "1'd0"
        if not checks:
            broken = ["  // nothing is required"]
        block = ["  always_comb begin", *lines, "  end"] if lines else []
        parts = [
            "\n".join(f"// {line}".rstrip() for line in self._head()),
            f"module {self.unit.name} (\n  " + ",\n  ".join(ports) + "\n);",
            *self.helpers.values(),
            *(_table(operand) for operand in self.operands if operand.entries is not None),
            "\n".join([*bits, *self.declared, *block, f"  assign result = {result};"]),
            "\n".join([*broken, f"  assign unpredictable = {flag};", "endmodule"]),
        ]
        return "\n\n".join(parts) + "\n"

    def _head(self) -> list[str]:
        head = [
            *self.head(),
            "",
            "Combinational. unpredictable is 1 where a requirement fails; result is then harmless, but nothing",
            "promises it.",
        ]
        for operand in self.operands:
            if of_type(operand.sort).kind == "float":
                head.append(f"{operand.name} takes the bits of a {operand.sort.name}; nothing reads them.")
            if isinstance(operand.sort, ArraySort) and operand.entries is None:
                size = operand.sort.element.width
                head.append(
                    f"Entry k of {operand.name} is {operand.name}[{size} * k +: {size}], "
                    f"for k from 0 to {operand.sort.length - 1}."
                )
        return head


def _vector(sort: Sort) -> str:
    return "" if sort.kind == "bool" else f"{vector(sort.width)} "


def _typed(sort: Sort) -> str:
    return f"{'signed ' if sort.signed and sort.kind != 'float' else ''}{_vector(sort)}"


def _port(operand: Operand) -> str:
    if isinstance(operand.sort, ArraySort):
        return f"input  logic {vector(operand.sort.element.width * operand.sort.length)} {operand.name}"
    return f"input  logic {_typed(operand.sort)}{operand.name}"


def _table(operand: Operand) -> str:
    """A known table as a function of the index: synthesis makes a ROM or gates of it."""
    assert isinstance(operand.sort, ArraySort) and operand.entries is not None
    element = operand.sort.element
    size = max(1, (operand.sort.length - 1).bit_length())
    name = f"lw_entry_{operand.name}"
    rows = [
        f"      {literal(k, size)}: {name} = {literal(entry, element.width)};"
        for k, entry in enumerate(operand.entries)
    ]
    return "\n".join(
        [
            f"  // The table {operand.name}: {operand.sort.length} entries of {element.name}, as bits.",
            f"  function automatic logic {vector(element.width)} {name}(input logic {vector(size)} index);",
            "    case (index)",
            *rows,
            f"      default: {name} = {literal(0, element.width)};",
            "    endcase",
            "  endfunction",
        ]
    )


def _bits_name(operand: Operand) -> str:
    """Ports with a sign are read through a wire without."""
    signed = isinstance(operand.sort, Sort) and operand.sort.signed
    return f"{operand.name}_bits" if signed else operand.name


def _operator(sign: str) -> Rule:
    return lambda w, n, a, b: f"{a} {sign} {b}"


def _helper(kind: str) -> Rule:
    return lambda w, n, *texts: f"{w.words(kind, width(n))}({', '.join(texts)})"


def _shift(kind: str, sign: str) -> Rule:
    def rule(w: SystemVerilog, node: Node, a: str, b: str) -> str:
        count = constant_of(node.args[1])
        if count is None:
            return f"{w.words(kind, width(node))}({a}, {b})"
        return f"{a} {sign} {count}"  # `settle` leaves counts below the width

    return rule


def _order(sign: str, signed: bool = False) -> Rule:
    return lambda w, n, a, b: f"$signed({a}) {sign} $signed({b})" if signed else f"{a} {sign} {b}"


def _input(w: SystemVerilog, node: Node) -> str:
    assert node.data is not None
    return _bits_name(w.operands[node.data])


def _zext(w: SystemVerilog, node: Node, a: str) -> str:
    return f"{{{literal(0, width(node) - width(node.args[0]))}, {a}}}"


def _sext(w: SystemVerilog, node: Node, a: str) -> str:
    source = width(node.args[0])
    return f"{{{{{width(node) - source}{{{a}[{source - 1}]}}}}, {a}}}"


def _lookup(w: SystemVerilog, node: Node, table: str, index: str) -> str:
    array, at = node.args
    assert array.data is not None
    operand = w.operands[array.data]
    entries, size, bits = length(array), width(node), width(at)
    if operand.entries is not None:
        needed = max(1, (entries - 1).bit_length())
        known = constant_of(at)
        if known is not None:
            short = literal(known & ((1 << needed) - 1), needed)
        elif bits < needed:
            short = f"{{{literal(0, needed - bits)}, {index}}}"
        else:
            short = index if bits == needed else f"{index}[{needed - 1}:0]"
        entry = f"lw_entry_{operand.name}({short})"
    else:
        entry = f"{table}[{index} * 32'd{size} +: {size}]"
    if 1 << bits <= entries:
        return entry
    return f"({index} < {literal(entries, bits)}) ? {entry} : {w.constant(0, sort(node))}"


def _no_float(w: SystemVerilog, node: Node, *texts: str) -> str:
    raise w.refuse(f"{node.kind}, an operation of floats,", FLOAT_REASON)


RULES: dict[str, Rule] = {
    "input": _input,
    "const": lambda w, n: w.constant(n.data, sort(n)),
    "add": _operator("+"),
    "sub": _operator("-"),
    "mul": _operator("*"),
    "udiv": _helper("udiv"),
    "urem": _helper("urem"),
    "sdiv": _helper("sdiv"),
    "srem": _helper("srem"),
    "shl": _shift("shl", "<<"),
    "lshr": _shift("lshr", ">>"),
    "ashr": _helper("ashr"),
    "clz": _helper("clz"),
    "and": _operator("&"),
    "or": _operator("|"),
    "xor": _operator("^"),
    "not": lambda w, n, a: f"~{a}",
    "eq": _order("=="),
    "ult": _order("<"),
    "ule": _order("<="),
    "slt": _order("<", signed=True),
    "sle": _order("<=", signed=True),
    "zext": _zext,
    "sext": _sext,
    "trunc": lambda w, n, a: f"{a}[{width(n) - 1}:0]",
    "ite": lambda w, n, condition, a, b: f"{condition} ? {a} : {b}",
    **dict.fromkeys(
        (
            "fadd", "fsub", "fmul", "fdiv", "frem", "fpow", "fneg", "fabs", "frint", "feq", "flt", "fle", "fcvt",
            "stof", "utof", "ftos", "ftou",
        ),
        _no_float,
    ),
    "lookup": _lookup,
}  # fmt: skip


def write(unit: Unit) -> str:
    """The unit as a SystemVerilog file with one module."""
    return SystemVerilog(unit).text()

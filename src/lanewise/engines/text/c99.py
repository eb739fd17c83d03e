"""C99: one function of one element, its requirement as a flag.

Patterns are held in unsigned words, computed in 32 or 64 bits without sign and cut to their width, so that
nothing is undefined and nothing depends on the compiler. Floats are held as bits; the host computes them.
float16 and bfloat16, which C99 lacks, are their bits in parameters and results, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from lanewise.engines.text import c99_floats as f
from lanewise.engines.text import c99_helpers as c
from lanewise.engines.text.c99_helpers import arithmetic, literal, mask, word
from lanewise.engines.text.names import short
from lanewise.engines.text.unit import Operand, Rule, Unit, Writer, constant_of, length, of_type, rows_of, sort, width
from lanewise.language.nodes import Node
from lanewise.language.sorts import AnySort, ArraySort, Sort, f32

# How compilers say that they were allowed to take floats for something else.
INEXACT = " || ".join(
    [
        *(f"defined __{name}__" for name in "FAST_MATH ASSOCIATIVE_MATH RECIPROCAL_MATH NO_SIGNED_ZEROS".split()),
        "(defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__ > 0)",
    ]
)


class C99(Writer):
    language = "C99"

    def __init__(self, unit: Unit, rules: Mapping[str, Rule]) -> None:
        super().__init__(unit, rules)
        # A fixed table stands outside the function, where another unit may have one of the same name.
        self.operands = [
            operand if operand.entries is None else replace(operand, name=short(f"{unit.name}_{operand.name}"))
            for operand in self.operands
        ]

    def accepts(self, sort: AnySort) -> None:
        element = of_type(sort)
        if element.kind != "float" and element.width > 64:
            raise self.refuse(f"a word of {element.width} bits", "C99 promises integers of up to 64 bits")

    def constant(self, pattern: int, sort: Sort) -> str:
        if sort.kind == "bool":
            return "true" if pattern else "false"
        return literal(pattern, sort.width)

    def step(self, name: str, node: Node, expression: str) -> str:
        return f"    const {_held(sort(node))} {name} = {expression};"

    # -- helpers ------------------------------------------------------------------------

    def words(self, kind: str, width: int) -> str:
        """The name of a helper for words of a width, which the text then has."""
        name = f"lw_{kind}_{width}"
        self.helpers.setdefault(name, c.WORDS[kind](width))
        return name

    def number(self, sort: Sort, text: str) -> str:
        """A float from its bits."""
        self.helpers.setdefault(f"lw_{f.named(sort)}", f.to_float(sort))
        return f"lw_{f.named(sort)}({text})"

    def computed(self, sort: Sort, text: str) -> str:
        """The bits of a float that has been computed."""
        if not f.is_half(sort):
            self.helpers.setdefault(f"lw_bits_{f.named(sort)}", f.to_bits(sort))
        self.helpers.setdefault(f"lw_computed_{f.named(sort)}", f.computed(sort))
        return f"lw_computed_{f.named(sort)}({text})"

    def as_bits(self, sort: Sort, text: str) -> str:
        """The pattern of a float or double that is an operand."""
        self.helpers.setdefault(f"lw_bits_{f.named(sort)}", f.to_bits(sort))
        return f"lw_bits_{f.named(sort)}({text})"

    def near(self, text: str) -> str:
        """A double for a word of 64 bits that is to become a narrower float."""
        self.helpers.setdefault("lw_near_64", f.near_word())
        return f"lw_near_64({text})"

    # -- the text -----------------------------------------------------------------------

    def text(self) -> str:
        lines, result, checks = self.steps()
        output = self.function.outputs[0]
        before = [line for k in sorted(self.used) for line in self._bits(self.operands[k])]
        body = [*before, *lines]
        if checks:
            for condition, reason in checks:
                body += [f"    if (!{condition}) /* required: {reason} */", "        *unpredictable = true;"]
        else:
            body.append("    (void)unpredictable; /* nothing is required */")
        body.append(f"    return {self._number(result, output)};")
        unused = [
            f"    (void){operand.name};"
            for k, operand in enumerate(self.operands)
            if k not in self.used and operand.entries is None
        ]
        parameters = [_parameter(operand) for operand in self.operands if operand.entries is None]
        parameters.append("bool *unpredictable")
        signature = f"{_type(output)} {self.unit.name}({', '.join(parameters)})"
        tables = [_table(operand) for operand in self.operands if operand.entries is not None]
        uses_float = any("float" in name or "double" in name for name in self.helpers)
        parts = [
            "\n".join(["/*", *(f" * {line}".rstrip() for line in self._head()), " */"]),
            "\n".join(_includes(uses_float)),
            _guards(uses_float),
            *(_once(name, text) for name, text in self.helpers.items()),
            *tables,
            "\n".join([f"{signature};"]),
            "\n".join([signature, "{", *unused, *body, "}"]),
        ]
        return "\n\n".join(parts) + "\n"

    def _head(self) -> list[str]:
        return [
            *self.head(),
            "",
            "Sets *unpredictable where a requirement fails, and never clears it: clear it before the first element.",
            "The value is then a harmless one that nothing promises.",
        ]

    def _bits(self, operand: Operand) -> list[str]:
        """The pattern of an operand, where it is not the operand itself."""
        if isinstance(operand.sort, ArraySort) or _bits_name(operand) == operand.name:
            return []
        sort = operand.sort
        value = self.as_bits(sort, operand.name) if sort.kind == "float" else _cut(operand.name, sort.width)
        return [f"    const {word(sort.width)} {_bits_name(operand)} = {value};"]

    def _number(self, text: str, sort: Sort) -> str:
        """The result as its own type."""
        if f.is_half(sort):
            return text
        if sort.kind == "float":
            return self.number(sort, text)
        return f"{self.words('signed', sort.width)}({text})" if sort.signed else text


def _once(name: str, text: str) -> str:
    """A helper that several files may bring along, of which one program includes more than one."""
    return f"#ifndef {name.upper()}\n#define {name.upper()}\n{text}\n#endif"


def _includes(floats: bool) -> list[str]:
    names = ["limits", "stdbool", "stdint"]
    if floats:
        names += ["float", "math", "string"]
    return [f"#include <{name}.h>" for name in sorted(names)]


def _guards(floats: bool) -> str:
    lines = ["#if INT_MAX != 2147483647", '#error "this file is for an int of 32 bits"', "#endif"]
    if floats:
        lines += [
            "#if FLT_RADIX != 2 || FLT_MANT_DIG != 24 || DBL_MANT_DIG != 53 || FLT_EVAL_METHOD != 0",
            '#error "this file is for IEEE 754 float and double without excess precision"',
            "#endif",
            f"#if {INEXACT}",
            '#error "this file is for exact floats: compile it without -ffast-math and what that stands for"',
            "#endif",
        ]
    return "\n".join(lines)


def _type(sort: Sort) -> str:
    """The C type of an element."""
    if sort.kind == "bool":
        return "bool"
    if f.is_half(sort):
        return "uint16_t"
    if sort.kind == "float":
        return f.float_type(sort)
    return f"{'int' if sort.signed else 'uint'}{c.storage(sort.width)}_t"


def _held(sort: Sort) -> str:
    return "bool" if sort.kind == "bool" else word(sort.width)


def _parameter(operand: Operand) -> str:
    if isinstance(operand.sort, ArraySort):
        return f"const {_type(operand.sort.element)} {operand.name}[{operand.sort.length}]"
    return f"{_type(operand.sort)} {operand.name}"


def _table(operand: Operand) -> str:
    """A known table; its entries are patterns, as the steps want them."""
    assert isinstance(operand.sort, ArraySort) and operand.entries is not None
    element = operand.sort.element
    entries = [literal(entry, element.width) for entry in operand.entries]
    kind = word(element.width)
    rows = "\n".join(rows_of(entries, "    "))
    return f"static const {kind} {operand.name}[{len(entries)}] = {{ /* {element.name}, as bits */\n{rows}\n}};"


def _bits_name(operand: Operand) -> str:
    sort = of_type(operand.sort)
    plain = (
        sort.kind == "bool"
        or f.is_half(sort)
        or (sort.kind == "int" and not sort.signed and c.storage(sort.width) == sort.width)
    )
    return operand.name if plain or isinstance(operand.sort, ArraySort) else f"{operand.name}_bits"


def _cut(text: str, width: int) -> str:
    """The low bits of an expression of any integer type, as a pattern."""
    return f"({word(width)}){text}" if c.storage(width) == width else f"({word(width)})({text} & {mask(width)})"


def _wrapped(node: Node, expression: str) -> str:
    """What was computed in a wider word, cut to the node's width."""
    size = width(node)
    if size in (32, 64):
        return expression
    return (
        f"({word(size)})({expression})" if c.storage(size) == size else f"({word(size)})(({expression}) & {mask(size)})"
    )


def _wide(node: Node, text: str) -> str:
    """The operand in the type that is computed in."""
    return text if width(node) in (32, 64) else f"({arithmetic(width(node))}){text}"


def _operator(sign: str) -> Rule:
    return lambda w, n, a, b: _wrapped(n, f"{_wide(n, a)} {sign} {_wide(n, b)}")


def _helper(kind: str) -> Rule:
    return lambda w, n, *texts: f"{w.words(kind, width(n))}({', '.join(texts)})"


def _shift(kind: str, sign: str) -> Rule:
    """By a constant: C's own shift; by a variable: the guarded helper."""

    def rule(w: C99, node: Node, a: str, b: str) -> str:
        count = constant_of(node.args[1])
        if count is None:
            return f"{w.words(kind, width(node))}({a}, {b})"
        return _wrapped(node, f"{_wide(node, a)} {sign} {count}")  # `settle` leaves counts below the width

    return rule


def _logic(for_words: str, for_booleans: str) -> Rule:
    return lambda w, n, a, b: (
        f"{a} {for_booleans} {b}" if sort(n).kind == "bool" else _wrapped(n, f"{_wide(n, a)} {for_words} {_wide(n, b)}")
    )


def _not(w: C99, node: Node, a: str) -> str:
    return f"!{a}" if sort(node).kind == "bool" else _wrapped(node, f"~{_wide(node, a)}")


def _order(sign: str) -> Rule:
    return lambda w, n, a, b: f"{a} {sign} {b}"


def _signed_order(sign: str) -> Rule:
    def rule(w: C99, node: Node, a: str, b: str) -> str:
        return f" {sign} ".join(_signed(w, arg, text) for arg, text in zip(node.args, (a, b), strict=True))

    return rule


def _signed(w: C99, node: Node, text: str) -> str:
    """The number that a pattern stands for: a literal of a constant, else by the helper."""
    pattern = constant_of(node)
    if pattern is None:
        return f"{w.words('signed', width(node))}({text})"
    size = width(node)
    value = pattern - (1 << size) if pattern >> (size - 1) else pattern
    if size <= 32:
        return str(value) if value > -(1 << 31) else "(-2147483647 - 1)"
    return f"INT64_C({value})" if value > -(1 << 63) else "(-INT64_C(9223372036854775807) - 1)"


def _sext(w: C99, node: Node, a: str) -> str:
    return _cut(_signed(w, node.args[0], a), width(node))


def _input(w: C99, node: Node) -> str:
    assert node.data is not None
    operand = w.operands[node.data]
    return _bits_name(operand)


def _lookup(w: C99, node: Node, table: str, index: str) -> str:
    array, at = node.args
    entry = f"{table}[{index}]"
    assert array.data is not None and isinstance(array.sort, ArraySort)
    if w.operands[array.data].entries is None and sort(node).kind != "bool":
        operand = w.operands[array.data]
        element = of_type(operand.sort)
        if element.kind == "float":
            entry = entry if f.is_half(element) else w.as_bits(element, entry)
        elif element.signed or c.storage(element.width) != element.width:
            entry = _cut(entry, element.width)
    if 1 << width(at) <= length(array):
        return entry
    return f"{index} < {literal(length(array), width(at))} ? {entry} : {w.constant(0, sort(node))}"


def _float(sign: str) -> Rule:
    return lambda w, n, a, b: w.computed(sort(n), f"{w.number(sort(n), a)} {sign} {w.number(sort(n), b)}")


def _float_call(name: str) -> Rule:
    def rule(w: C99, node: Node, *texts: str) -> str:
        call = f"{name}f" if sort(node) == f32 else name
        return str(w.computed(sort(node), f"{call}({', '.join(w.number(sort(node), text) for text in texts)})"))

    return rule


def _float_order(sign: str) -> Rule:
    return lambda w, n, a, b: f"{w.number(sort(n.args[0]), a)} {sign} {w.number(sort(n.args[0]), b)}"


def _fpow(w: C99, node: Node, a: str, b: str) -> str:
    """By the C library's pow in double, whose special cases are those of IEEE 754."""
    power = f"pow({w.number(sort(node), a)}, {w.number(sort(node), b)})"
    return str(w.computed(sort(node), f"(float){power}" if sort(node) == f32 else power))


def _from_float(with_sign: bool) -> Rule:
    def rule(w: C99, node: Node, a: str) -> str:
        source = sort(node.args[0])
        name = f"lw_{'ftos' if with_sign else 'ftou'}_{f.float_type(source)}_{width(node)}"
        number = w.number(source, a)
        w.helpers.setdefault(name, f.to_integer(source, width(node), with_sign))
        return f"{name}({number})"

    return rule


def _from_signed(w: C99, node: Node, a: str) -> str:
    source, result = node.args[0], sort(node)
    if f.is_half(result) and width(source) == 64:
        # The size is the word of a number that is not negative, and what it lacks to 2 ** 64 of another.
        size = f"{a} >> 63 ? -{w.near(f'0u - {a}')} : {w.near(a)}"
        return w.computed(result, size)
    return w.computed(result, f"({f.float_type(result)}){_signed(w, source, a)}")


def _from_unsigned(w: C99, node: Node, a: str) -> str:
    result = sort(node)
    if f.is_half(result) and width(node.args[0]) == 64:
        return w.computed(result, w.near(a))
    return w.computed(result, f"({f.float_type(result)}){a}")


def _sign_bits(change: Callable[[str, int], str]) -> Rule:
    """A float's sign is a bit of it; a NaN becomes the quiet one, as everywhere."""
    return lambda w, n, a: w.computed(sort(n), w.number(sort(n), change(a, width(n))))


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
    "and": _logic("&", "&&"),
    "or": _logic("|", "||"),
    "xor": _logic("^", "!="),
    "not": _not,
    "eq": _order("=="),
    "ult": _order("<"),
    "ule": _order("<="),
    "slt": _signed_order("<"),
    "sle": _signed_order("<="),
    "zext": lambda w, n, a: a,
    "sext": _sext,
    "trunc": lambda w, n, a: _cut(a, width(n)),
    "ite": lambda w, n, condition, a, b: f"{condition} ? {a} : {b}",
    "fadd": _float("+"),
    "fsub": _float("-"),
    "fmul": _float("*"),
    "fdiv": _float("/"),
    "frem": _float_call("fmod"),
    "fpow": _fpow,
    "fneg": _sign_bits(lambda a, size: f"{a} ^ {c.top(size)}"),
    "fabs": _sign_bits(lambda a, size: f"{a} & {literal((1 << (size - 1)) - 1, size)}"),
    "frint": _float_call("rint"),
    "feq": _float_order("=="),
    "flt": _float_order("<"),
    "fle": _float_order("<="),
    "fcvt": lambda w, n, a: w.computed(sort(n), f"({f.float_type(sort(n))}){w.number(sort(n.args[0]), a)}"),
    "stof": _from_signed,
    "utof": _from_unsigned,
    "ftos": _from_float(True),
    "ftou": _from_float(False),
    "lookup": _lookup,
}  # fmt: skip


def write(unit: Unit) -> str:
    """The unit as a C99 file that needs nothing but the standard headers."""
    return C99(unit, RULES).text()

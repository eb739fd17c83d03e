"""The node kinds that traced definitions are made of: signless, total, interned.

Every kind has SMT-LIB's meaning, so that one trace serves every engine: integer nodes work on
patterns and know no sign, shifts by the width or more give 0 (or the sign, for `ashr`), and
division by zero is defined. A node is known by identity: equal expressions are one object.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

from lanewise.language.sorts import AnySort, ArraySort, Sort, bits, boolean


@dataclass(frozen=True, slots=True)
class Kind:
    """A row of the table below. `result` names the rule for the sort: see `_result_sort`."""

    name: str
    arity: int
    operands: str  # sorts accepted: "bits", "bool", "float", "word" (bits or bool), "any", "array"
    result: str  # "same", "bool", or "data" (the sort is given with the node)
    meaning: str
    smt: str


_ROWS = [
    # leaves
    Kind("input", 0, "-", "data", "the operand with index `data`", "declare-const"),
    Kind("const", 0, "-", "data", "the pattern `data`", "literal"),
    # words, modulo 2**width
    Kind("add", 2, "bits", "same", "a + b", "bvadd"),
    Kind("sub", 2, "bits", "same", "a - b", "bvsub"),
    Kind("mul", 2, "bits", "same", "a * b", "bvmul"),
    Kind("udiv", 2, "bits", "same", "a / b unsigned; all ones if b is 0", "bvudiv"),
    Kind("urem", 2, "bits", "same", "what udiv leaves; a if b is 0", "bvurem"),
    Kind("sdiv", 2, "bits", "same", "a / b signed, towards zero; 1 or -1 against a's sign if b is 0", "bvsdiv"),
    Kind("srem", 2, "bits", "same", "what sdiv leaves, with a's sign; a if b is 0", "bvsrem"),
    Kind("shl", 2, "bits", "same", "a shifted left by b (unsigned); 0 from the width on", "bvshl"),
    Kind("lshr", 2, "bits", "same", "a shifted right by b, zeros in; 0 from the width on", "bvlshr"),
    Kind("ashr", 2, "bits", "same", "a shifted right by b, sign in; the sign from the width on", "bvashr"),
    Kind("clz", 1, "bits", "same", "how many zeros stand above the highest one; the width for 0", "(ite chain)"),
    # words and booleans
    Kind("and", 2, "word", "same", "both", "bvand / and"),
    Kind("or", 2, "word", "same", "either or both", "bvor / or"),
    Kind("xor", 2, "word", "same", "exactly one", "bvxor / xor"),
    Kind("not", 1, "word", "same", "the complement", "bvnot / not"),
    Kind("eq", 2, "word", "bool", "same pattern", "="),
    Kind("ult", 2, "bits", "bool", "a < b unsigned", "bvult"),
    Kind("ule", 2, "bits", "bool", "a <= b unsigned", "bvule"),
    Kind("slt", 2, "bits", "bool", "a < b signed", "bvslt"),
    Kind("sle", 2, "bits", "bool", "a <= b signed", "bvsle"),
    # between widths
    Kind("zext", 1, "bits", "data", "the same unsigned number, wider", "zero_extend"),
    Kind("sext", 1, "bits", "data", "the same signed number, wider", "sign_extend"),
    Kind("trunc", 1, "bits", "data", "the low bits", "extract"),
    # choice: (condition, then, else)
    Kind("ite", 3, "any", "then", "a if the condition holds, else b; both are always computed", "ite"),
    # floats: IEEE 754, every result rounded to nearest, ties to even; any NaN result is the quiet NaN
    Kind("fadd", 2, "float", "same", "a + b", "fp.add RNE"),
    Kind("fsub", 2, "float", "same", "a - b", "fp.sub RNE"),
    Kind("fmul", 2, "float", "same", "a * b", "fp.mul RNE"),
    Kind("fdiv", 2, "float", "same", "a / b", "fp.div RNE"),
    Kind("frem", 2, "float", "same", "a - b * trunc(a / b), exact, with a's sign", "(C fmod)"),
    Kind("fpow", 2, "float", "same", "a ** b, special cases as IEEE 754 pow", "(uninterpreted)"),
    Kind("fneg", 1, "float", "same", "the other sign", "fp.neg"),
    Kind("fabs", 1, "float", "same", "without sign", "fp.abs"),
    Kind("frint", 1, "float", "same", "the nearest integer, ties to even", "fp.roundToIntegral RNE"),
    Kind("feq", 2, "float", "bool", "a = b; false with NaN", "fp.eq"),
    Kind("flt", 2, "float", "bool", "a < b; false with NaN", "fp.lt"),
    Kind("fle", 2, "float", "bool", "a <= b; false with NaN", "fp.leq"),
    Kind("fcvt", 1, "float", "data", "the nearest value of another float sort", "to_fp RNE"),
    Kind("stof", 1, "bits", "data", "the nearest float to a signed word", "to_fp RNE"),
    Kind("utof", 1, "bits", "data", "the nearest float to an unsigned word", "to_fp_unsigned RNE"),
    Kind("ftos", 1, "float", "data", "towards zero to a signed word; saturates, 0 for NaN", "fp.to_sbv RTZ"),
    Kind("ftou", 1, "float", "data", "towards zero to an unsigned word; saturates, 0 for NaN", "fp.to_ubv RTZ"),
    # tables: (array, index)
    Kind("lookup", 2, "array", "element", "the entry at an unsigned index; 0 beyond the end", "select"),
]  # fmt: skip

KINDS: dict[str, Kind] = {row.name: row for row in _ROWS}


class Node:
    """One interned expression. Make nodes with `node()`, never directly."""

    __slots__ = ("__weakref__", "args", "data", "kind", "sort")
    kind: str
    args: tuple[Node, ...]
    sort: AnySort
    data: int | None

    def __repr__(self) -> str:
        inner = [repr(self.data)] if self.data is not None else [f"{len(self.args)} args"]
        return f"<{self.kind} {inner[0]} : {self.sort}>"


_interned: WeakValueDictionary[tuple[Any, ...], Node] = WeakValueDictionary()
lock = threading.RLock()  # around the table of interned nodes

if hasattr(os, "register_at_fork"):
    # A child that is forked while another thread makes a node must not wait for that thread forever.
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


def node(kind: str, *args: Node, data: int | None = None, sort: AnySort | None = None) -> Node:
    """The node of that kind; the same object for the same kind, arguments, data and sort."""
    row = KINDS[kind]
    sort = _result_sort(row, args, sort)
    key = (kind, *(id(arg) for arg in args), data, sort)
    with lock:
        found = _interned.get(key)
        if found is None:
            found = Node()
            found.kind, found.args, found.data, found.sort = kind, args, data, sort
            _interned[key] = found
        return found


def _result_sort(row: Kind, args: tuple[Node, ...], given: AnySort | None) -> AnySort:
    """The sort of a node; a definition that is ill-sorted is a bug and stops here."""
    assert len(args) == row.arity, f"{row.name} takes {row.arity} arguments"
    if row.name == "ite":
        condition, then, other = args
        assert condition.sort == boolean and then.sort == other.sort, "ite: a condition and two of one sort"
        return then.sort
    if row.name == "lookup":
        array, index = args
        assert isinstance(array.sort, ArraySort) and isinstance(index.sort, Sort) and index.sort.kind == "bits"
        return array.sort.element
    for arg in args:
        kind = arg.sort.kind if isinstance(arg.sort, Sort) else "array"
        assert kind == row.operands or (row.operands == "word" and kind in ("bits", "bool")), (
            f"{row.name} takes {row.operands}, not {arg.sort}"
        )
    if row.result == "data":
        assert given is not None, f"{row.name} is made with its sort"
        return given
    assert len({arg.sort for arg in args}) == 1, f"{row.name}: operands of one sort"
    return boolean if row.result == "bool" else args[0].sort


def constant(pattern: int, sort: Sort) -> Node:
    assert 0 <= pattern < 1 << sort.width
    return node("const", data=pattern, sort=sort)


TRUE, FALSE = constant(1, boolean), constant(0, boolean)


def postorder(roots: Iterable[Node]) -> Iterator[Node]:
    """Every node below `roots` once, arguments before the nodes that use them; no recursion."""
    seen: set[int] = set()
    for root in roots:
        stack = [(root, False)]
        while stack:
            current, expanded = stack.pop()
            if id(current) in seen:
                continue
            if expanded:
                seen.add(id(current))
                yield current
            else:
                stack.append((current, True))
                stack.extend((arg, False) for arg in reversed(current.args) if id(arg) not in seen)


def rewrite(roots: Iterable[Node], change: dict[Node, Node]) -> list[Node]:
    """The roots with some nodes replaced (typically inputs), rebuilt from the leaves up."""
    roots = list(roots)
    done: dict[Node, Node] = {}
    for current in postorder(roots):
        if current in change:
            done[current] = change[current]
        elif current.args and any(done[arg] is not arg for arg in current.args):
            done[current] = node(
                current.kind, *(done[arg] for arg in current.args), data=current.data, sort=current.sort
            )
        else:
            done[current] = current
    return [done[root] for root in roots]


__all__ = ["FALSE", "KINDS", "TRUE", "Kind", "Node", "bits", "constant", "node", "postorder", "rewrite"]

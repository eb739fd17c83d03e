"""Looking entries up in a table that lies in registers.

x86 permutes the bytes or words of registers by variable positions: a table of 256 bytes or of some
hundred words then takes a few instructions for a whole vector of indices, instead of a load for
each. Without such instructions every lane loads its entry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from llvmlite import ir

from lanewise.engines.native.target import Abilities
from lanewise.language.sorts import ArraySort

I8, I16, I32, I64 = ir.IntType(8), ir.IntType(16), ir.IntType(32), ir.IntType(64)
MOST_WORDS = 1024  # entries of 16 bits: beyond, so many registers' worth of permutes cost more than loads
ROW = 16  # bytes that AVX2 permutes within


def in_registers(sort: ArraySort, abilities: Abilities) -> bool:
    """Whether the whole table fits instructions that this machine has."""
    if sort.element.width == 8:
        return sort.length <= 256 and abilities.permuted_bytes > 0
    return sort.element.width == 16 and sort.length <= MOST_WORDS and abilities.permutes_words


@dataclass
class Table:
    """A table of the function: where it lies, and its registers if it was loaded into some."""

    sort: ArraySort
    item: ir.Type
    pointer: ir.Value
    abilities: Abilities
    registers: list[ir.Value]


def load(b: ir.IRBuilder, sort: ArraySort, item: ir.Type, pointer: ir.Value, abilities: Abilities) -> Table:
    """Loads the table, once before all turns of the loop; what is beyond its end counts as 0."""
    if not in_registers(sort, abilities):
        return Table(sort, item, pointer, abilities, [])
    size = 32 if sort.element.width == 16 else 64 if abilities.permuted_bytes == 64 else ROW
    registers = []
    for start in range(0, sort.length, size):
        kind = ir.VectorType(item, size)
        place = b.gep(pointer, [I64(start)], source_etype=item)
        if start + size <= sort.length:
            register = b.load(place, typ=kind, align=sort.element.width // 8)
        else:
            register = ir.Constant(kind, [0] * size)
            for lane in range(sort.length - start):
                entry = b.load(b.gep(place, [I64(lane)], source_etype=item), typ=item)
                register = b.insert_element(register, entry, I32(lane))
        registers.append(register)
    return Table(sort, item, pointer, abilities, registers)


def look_up(b: ir.IRBuilder, table: Table, index: ir.Value) -> ir.Value:
    """The entries at a vector of unsigned indices; 0 beyond the end."""
    width, length, item = index.type.element.width, table.sort.length, table.item
    lanes = index.type.count
    if table.registers:
        inside = None
        if width > item.width:
            inside = b.icmp_unsigned("<", index, _all(index.type, length))
            index = b.trunc(index, ir.VectorType(item, lanes))
        elif width < item.width:
            index = b.zext(index, ir.VectorType(item, lanes))
        if item.width == 16:
            found = in_pieces(b, index, 32, lambda part: _permuted_words(b, table, part))
        elif table.abilities.permuted_bytes == 64:
            found = in_pieces(b, index, 64, lambda part: _permuted_bytes(b, table, part))
        else:
            found = in_pieces(b, index, 32, lambda part: _shuffled_bytes(b, table, part))
        return found if inside is None else b.select(inside, found, _all(found.type, 0))
    return _loaded(b, table, index)


def _all(kind: ir.VectorType, value: int) -> ir.Constant:
    return ir.Constant(kind, [value] * kind.count)


def _call(b: ir.IRBuilder, name: str, result: ir.Type, *arguments: ir.Value) -> ir.Value:
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    known = b.module.globals
    return b.call(known[name] if name in known else ir.Function(b.module, kind, name), arguments)


def in_pieces(b: ir.IRBuilder, vector: ir.Value, size: int, work: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """work() on registers of `size` lanes; a shorter vector is filled up with undefined lanes."""
    lanes = vector.type.count
    nothing = ir.Constant(vector.type, ir.Undefined)

    def lanes_of(numbers: Sequence[int]) -> ir.Constant:
        return ir.Constant(ir.VectorType(I32, len(numbers)), list(numbers))

    if lanes < size:
        found = work(b.shuffle_vector(vector, nothing, lanes_of([min(lane, lanes) for lane in range(size)])))
        return b.shuffle_vector(found, ir.Constant(found.type, ir.Undefined), lanes_of(range(lanes)))
    pieces = [
        work(b.shuffle_vector(vector, nothing, lanes_of(range(start, start + size)))) for start in range(0, lanes, size)
    ]
    while len(pieces) > 1:
        joined = lanes_of(range(2 * pieces[0].type.count))
        pieces = [b.shuffle_vector(one, other, joined) for one, other in zip(pieces[::2], pieces[1::2], strict=True)]
    return pieces[0]


def _permuted_words(b: ir.IRBuilder, table: Table, index: ir.Value) -> ir.Value:
    """AVX-512: 64 entries from two registers at a time, chosen by the index's upper bits."""
    kind = ir.VectorType(I16, 32)
    zero = _all(kind, 0)
    registers = [*table.registers, *[zero] * (len(table.registers) % 2)]
    found = [
        _call(b, "llvm.x86.avx512.vpermi2var.hi.512", kind, low, index, high)
        for low, high in zip(registers[::2], registers[1::2], strict=True)
    ]
    bit = 64
    while len(found) > 1:
        found += [zero] * (len(found) % 2)
        found = _halved(b, found, index, bit)
        bit *= 2
    return b.select(b.icmp_unsigned("<", index, _all(kind, bit)), found[0], zero)


def _permuted_bytes(b: ir.IRBuilder, table: Table, index: ir.Value) -> ir.Value:
    """AVX-512 VBMI: 128 entries from two registers at a time."""
    kind = ir.VectorType(I8, 64)
    registers = [*table.registers, *[_all(kind, 0)] * (4 - len(table.registers))]
    low, high = (
        _call(b, "llvm.x86.avx512.vpermi2var.qi.512", kind, registers[at], index, registers[at + 1]) for at in (0, 2)
    )
    return b.select(b.icmp_signed("<", index, _all(kind, 0)), high, low)


def _shuffled_bytes(b: ir.IRBuilder, table: Table, index: ir.Value) -> ir.Value:
    """AVX2: sixteen rows of 16 entries, permuted by the low four bits; the high four choose the row."""
    kind = ir.VectorType(I8, 32)
    row = ir.VectorType(I8, ROW)
    low = b.and_(index, _all(kind, ROW - 1))
    twice = ir.Constant(ir.VectorType(I32, 32), [*range(ROW), *range(ROW)])
    nothing = ir.Constant(row, ir.Undefined)
    rows = [*table.registers, *[_all(row, 0)] * (256 // ROW - len(table.registers))]
    found = [
        _call(b, "llvm.x86.avx2.pshuf.b", kind, b.shuffle_vector(entries, nothing, twice), low) for entries in rows
    ]
    for bit in (16, 32, 64, 128):
        found = _halved(b, found, index, bit)
    return found[0]


def _halved(b: ir.IRBuilder, found: list[ir.Value], index: ir.Value, bit: int) -> list[ir.Value]:
    """Of every two candidates the one that a bit of the index says."""
    kind = index.type
    chosen = b.icmp_unsigned("!=", b.and_(index, _all(kind, bit)), _all(kind, 0))
    return [b.select(chosen, odd, even) for even, odd in zip(found[::2], found[1::2], strict=True)]


def _loaded(b: ir.IRBuilder, table: Table, index: ir.Value) -> ir.Value:
    """One load a lane."""
    item = table.item
    kind = ir.VectorType(item, index.type.count)
    reaches_all = (1 << index.type.element.width) <= table.sort.length
    position = index
    if not reaches_all:
        last = _all(index.type, table.sort.length - 1)
        inside = b.icmp_unsigned("<=", index, last)
        position = b.select(inside, index, last)
    result: ir.Value = ir.Constant(kind, ir.Undefined)
    for lane in range(kind.count):
        offset = b.zext(b.extract_element(position, I32(lane)), I64)
        entry = b.load(b.gep(table.pointer, [offset], source_etype=item), typ=item)
        result = b.insert_element(result, entry, I32(lane))
    return result if reaches_all else b.select(inside, result, _all(kind, 0))

"""What lies otherwise than a vector goes through buffers of one vector, on its way in and out."""

from __future__ import annotations

from llvmlite import ir

I8, I32, I64, POINTER = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.PointerType()
UNROLLED = 8  # elements copied in a turn
ALIGN = 64  # a cache line, and the widest vector register


class Copies:
    """Functions of one module that copy to and from buffers of `lanes` elements."""

    def __init__(self, module: ir.Module, lanes: int) -> None:
        self.module = module
        self.lanes = lanes

    def spread(self, b: ir.IRBuilder, value: ir.Value) -> ir.Value:
        """A vector of one value."""
        nothing = ir.Constant(ir.VectorType(value.type, self.lanes), ir.Undefined)
        zeros = ir.Constant(ir.VectorType(I32, self.lanes), [0] * self.lanes)
        return b.shuffle_vector(b.insert_element(nothing, value, I32(0)), nothing, zeros)

    def fetch(self, width: int) -> ir.Function:
        """fetch(buffer, place, step, count) → where a whole vector can be loaded.

        Lanes past the count repeat the first element: real data, so no lane invents a failure. Not inlined: it would
        be for every operand, and take longer to compile than it saves.
        """
        name = f"fetch{width}"
        if name in self.module.globals:
            return self.module.globals[name]
        function = ir.Function(self.module, ir.FunctionType(POINTER, [POINTER, POINTER, I64, I64]), name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        buffer, place, step, count = function.args
        item = ir.IntType(width)
        b = ir.IRBuilder(function.append_basic_block("entry"))
        with b.if_then(b.icmp_signed("==", step, I64(0))):
            b.ret(buffer)
        whole = b.icmp_signed("==", count, I64(self.lanes))
        with b.if_then(b.and_(whole, b.icmp_signed("==", step, I64(width // 8)))):
            b.ret(place)
        size, vector = width // 8, ir.VectorType(item, self.lanes)

        def part(start: int) -> ir.Value:
            """The vector that begins so many elements of memory from the place."""
            return b.load(b.gep(place, [I64(start * size)], source_etype=I8), typ=vector, align=size)

        def picked(first: ir.Value, second: ir.Value, order: list[int]) -> None:
            chosen = b.shuffle_vector(first, second, ir.Constant(ir.VectorType(I32, self.lanes), order))
            b.store(chosen, buffer, align=ALIGN)
            b.ret(buffer)

        last = self.lanes - 1
        with b.if_then(b.and_(whole, b.icmp_signed("==", step, I64(2 * size)))):
            # The second half ends with the last element that is wanted: what follows may be nobody's memory.
            order = [at if at < self.lanes else at + 1 for at in range(0, 2 * self.lanes, 2)]
            picked(part(0), part(last), order)
        with b.if_then(b.and_(whole, b.icmp_signed("==", step, I64(-size)))):
            backwards = part(-last)
            picked(backwards, backwards, list(range(last, -1, -1)))

        def copy(at: ir.Value) -> None:
            value = b.load(b.gep(place, [b.mul(at, step)], source_etype=I8), typ=item, align=size)
            b.store(value, b.gep(buffer, [at], source_etype=item), align=size)

        def copy_some(turn: ir.Value) -> None:
            for k in range(UNROLLED):
                copy(b.add(b.mul(turn, I64(UNROLLED)), I64(k)))

        with b.if_then(whole):
            turns = self.lanes // UNROLLED
            _repeat(b, I64(0), I64(turns), copy_some)
            _repeat(b, I64(turns * UNROLLED), I64(self.lanes), copy)
            b.ret(buffer)
        first = b.load(place, typ=item, align=width // 8)
        b.store(self.spread(b, first), buffer, align=ALIGN)

        _repeat(b, I64(1), count, copy)
        b.ret(buffer)
        return function

    def deliver(self, width: int) -> ir.Function:
        """deliver(place, buffer, step, count): the first lanes to where they belong."""
        name = f"deliver{width}"
        if name in self.module.globals:
            return self.module.globals[name]
        function = ir.Function(self.module, ir.FunctionType(ir.VoidType(), [POINTER, POINTER, I64, I64]), name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        place, buffer, step, count = function.args
        item = ir.IntType(width)
        b = ir.IRBuilder(function.append_basic_block("entry"))
        whole = b.icmp_signed("==", count, I64(self.lanes))
        with b.if_then(b.and_(whole, b.icmp_signed("==", step, I64(width // 8)))):
            vector = ir.VectorType(item, self.lanes)
            b.store(b.load(buffer, typ=vector, align=ALIGN), place, align=width // 8)
            b.ret_void()

        def copy(at: ir.Value) -> None:
            value = b.load(b.gep(buffer, [at], source_etype=item), typ=item, align=width // 8)
            b.store(value, b.gep(place, [b.mul(at, step)], source_etype=I8), align=width // 8)

        _repeat(b, I64(0), count, copy)
        b.ret_void()
        return function


def _repeat(b: ir.IRBuilder, start: ir.Value, stop: ir.Value, action) -> None:  # type: ignore[no-untyped-def]
    """for at in range(start, stop): action(at)"""
    before = b.block
    head, inside, after = (b.append_basic_block(name) for name in ("head", "inside", "after"))
    b.branch(head)
    b.position_at_end(head)
    at = b.phi(I64)
    at.add_incoming(start, before)
    b.cbranch(b.icmp_signed("<", at, stop), inside, after)
    b.position_at_end(inside)
    action(at)
    at.add_incoming(b.add(at, I64(1)), b.block)
    b.branch(head)
    b.position_at_end(after)

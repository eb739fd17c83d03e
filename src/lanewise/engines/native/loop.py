"""The inner loop of a function, in the form that NumPy's ufunc machinery calls.

There is one body, and it works on whole vectors. Operands that lie otherwise (strided, reversed,
broadcast, or the last few elements) pass through small buffers on the stack on their way in and
out, so every layout computes the same thing by construction. Large results are written past the
cache (streaming stores), after a first short step that aligns them.
"""

from __future__ import annotations

from llvmlite import ir

from lanewise.engines.native.emit import Emitter, element_type, is_half
from lanewise.engines.native.tables import in_registers, load
from lanewise.engines.native.target import Abilities
from lanewise.engines.native.ufunc import FAILED, TURNS
from lanewise.engines.storage import storage_width
from lanewise.language.nodes import postorder
from lanewise.language.sorts import ArraySort, Sort
from lanewise.language.words import Function

I1, I8, I32, I64, POINTER = ir.IntType(1), ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.PointerType()
ALIGN = 64  # a cache line, and the widest vector register
VECTOR_BYTES = 128  # bytes of the widest word that one turn of the body computes
STREAM_BYTES = 1 << 22  # from this size on a result is not kept in cache; never less than ALIGN
NAME = "loop"


def lanes_of(function: Function, abilities: Abilities) -> int:
    """Elements in a turn: enough to fill a few registers, few where every lane is a load of its own."""
    widest = 8
    for node in postorder([*function.results, *(r.condition for r in function.requirements)]):
        if node.kind == "lookup":
            table = node.args[0].sort
            assert isinstance(table, ArraySort)
            if not in_registers(table, abilities):
                return 16
        if isinstance(node.sort, Sort):
            widest = max(widest, 64 if node.sort.width > 32 else node.sort.width)
    return max(8, VECTOR_BYTES * 8 // widest)


def storage_type(sort: Sort) -> ir.Type:
    """The type of one stored element."""
    if sort.kind == "float":
        return element_type(sort)
    return ir.IntType(storage_width(sort))


def size_of(sort: Sort) -> int:
    return storage_width(sort) // 8


class LoopBuilder:
    """Builds the module of one function."""

    def __init__(self, function: Function, abilities: Abilities, own_flags: bool) -> None:
        self.function = function
        self.own_flags = own_flags  # compute floats in the default environment and leave no trace in MXCSR
        self.lanes = lanes_of(function, abilities)
        self.abilities = abilities
        self.module = ir.Module()
        self.inputs = [(k, sort) for k, sort in enumerate(function.inputs) if isinstance(sort, Sort)]
        self.arrays = [(k, sort) for k, sort in enumerate(function.inputs) if isinstance(sort, ArraySort)]
        self.outputs = [(len(function.inputs) + k, sort) for k, sort in enumerate(function.outputs)]

    def build(self) -> str:
        signature = ir.FunctionType(ir.VoidType(), [POINTER] * 4)
        function = ir.Function(self.module, signature, NAME)
        self.args, self.dims, self.steps, self.data = function.args
        entry = function.append_basic_block("entry")
        start = function.append_basic_block("start")
        done = function.append_basic_block("done")
        b = self.b = ir.IRBuilder(entry)
        self.count = b.load(self.dims, typ=I64)
        # Buffers live in the entry block, where they cost nothing but stack.
        self.buffers = {}
        for k, sort in (*self.inputs, *self.outputs):
            self.buffers[k] = b.alloca(ir.VectorType(storage_type(sort), self.lanes))
            self.buffers[k].align = ALIGN
        self.caller_mxcsr, self.own_mxcsr = b.alloca(I32), b.alloca(I32)
        self.state = b.load(self._shared(1), typ=POINTER)
        self.limited = b.icmp_unsigned("!=", self.state, ir.Constant(POINTER, None))
        with b.if_then(self.limited, likely=False):
            left = b.sub(b.load(self._shared(2), typ=I64), self.count)
            b.store(left, self._shared(2))  # threads may lose each other's share: it is a rough limit
            with b.if_then(b.icmp_signed("<", left, I64(0)), likely=False):
                b.atomic_rmw("xchg", self.state, I8(FAILED), "seq_cst")
                b.ret_void()
        self._enter_floats()
        entered = b.block
        b.cbranch(b.icmp_signed(">", self.count, I64(0)), start, done)
        b.position_at_end(start)
        self._prepare()
        last = self._turns(function, done)
        b.position_at_end(done)
        if last is not None:
            broken = b.phi(last.type)
            broken.add_incoming(ir.Constant(last.type, None), entered)
            broken.add_incoming(last, self.loop_end)
            report = function.append_basic_block("report")
            leave = function.append_basic_block("leave")
            b.cbranch(self._any(broken), report, leave)
            b.position_at_end(report)
            b.atomic_rmw("add", self.data, I64(1), "monotonic")
            with b.if_then(self.limited):
                b.atomic_rmw("xchg", self.state, I8(FAILED), "seq_cst")
            b.branch(leave)
            b.position_at_end(leave)
        if self.own_flags:
            b.call(self._mxcsr("ld"), [self.caller_mxcsr])
        with b.if_then(self.limited, likely=False):
            self._take_turn(function)
        b.ret_void()
        return str(self.module)

    def _shared(self, position: int) -> ir.Value:
        """A place in `Ufunc.shared`."""
        return self.b.gep(self.data, [I64(position)], source_etype=I64)

    def _take_turn(self, function: ir.Function) -> None:
        """The state's next turn, unless it has failed, in this thread or another."""
        b, before = self.b, self.b.block
        first = b.load(self.state, typ=I8)
        attempt, swap, after = (function.append_basic_block(name) for name in ("attempt", "swap", "after"))
        b.branch(attempt)
        b.position_at_end(attempt)
        turn = b.phi(I8)
        turn.add_incoming(first, before)
        b.cbranch(b.icmp_unsigned("==", turn, I8(FAILED)), after, swap)
        b.position_at_end(swap)
        last = b.icmp_unsigned("==", turn, I8(TURNS - 1))
        following = b.select(last, I8(0), b.add(turn, I8(1)))
        swapped = b.cmpxchg(self.state, turn, following, "seq_cst", "seq_cst")
        turn.add_incoming(b.extract_value(swapped, 0), b.block)
        b.cbranch(b.extract_value(swapped, 1), after, attempt)
        b.position_at_end(after)

    def _enter_floats(self) -> None:
        """Round to nearest, keep subnormals, whatever the caller's thread does: a library may flush them."""
        if not self.own_flags:
            return
        b = self.b
        b.call(self._mxcsr("st"), [self.caller_mxcsr])
        b.store(I32(0x1F80), self.own_mxcsr)
        b.call(self._mxcsr("ld"), [self.own_mxcsr])

    def _mxcsr(self, direction: str) -> ir.Function:
        name = f"llvm.x86.sse.{direction}mxcsr"
        if name in self.module.globals:
            return self.module.globals[name]
        return ir.Function(self.module, ir.FunctionType(ir.VoidType(), [POINTER]), name)

    def _any(self, broken: ir.Value) -> ir.Value:
        """Whether any lane of the accumulated failures is set."""
        width = broken.type.element.width
        flat = self.b.bitcast(broken, ir.IntType(width * self.lanes))
        return self.b.icmp_unsigned("!=", flat, ir.Constant(flat.type, 0))

    # -- before the first turn ----------------------------------------------------------

    def _prepare(self) -> None:
        b = self.b
        self.base: dict[int, ir.Value] = {}
        self.step: dict[int, ir.Value] = {}
        for k, _ in (*self.inputs, *self.arrays, *self.outputs):
            self.base[k] = b.load(b.gep(self.args, [I64(k)], source_etype=POINTER), typ=POINTER)
            self.step[k] = b.load(b.gep(self.steps, [I64(k)], source_etype=I64), typ=I64)
        self.tables = {
            # A table travels as its address, so that the ufunc broadcasts it like any number.
            k: load(
                b, sort, element_type(sort.element), b.inttoptr(b.load(self.base[k], typ=I64), POINTER), self.abilities
            )
            for k, sort in self.arrays
        }
        fast: ir.Value = I1(1)
        self.scalar: dict[int, ir.Value] = {}
        for k, sort in self.inputs:
            self.scalar[k] = b.icmp_signed("==", self.step[k], I64(0))
            direct = b.icmp_signed("==", self.step[k], I64(size_of(sort)))
            fast = b.and_(fast, b.or_(direct, self.scalar[k]))
            with b.if_then(self.scalar[k]):
                value = b.load(self.base[k], typ=storage_type(sort))
                b.store(self._spread(b, value), self.buffers[k], align=ALIGN)
        for k, sort in self.outputs:
            fast = b.and_(fast, b.icmp_signed("==", self.step[k], I64(size_of(sort))))
        self.fast = fast
        self._plan_streaming()

    def _spread(self, b: ir.IRBuilder, value: ir.Value) -> ir.Value:
        """A vector of one value."""
        nothing = ir.Constant(ir.VectorType(value.type, self.lanes), ir.Undefined)
        zeros = ir.Constant(ir.VectorType(I32, self.lanes), [0] * self.lanes)
        return b.shuffle_vector(b.insert_element(nothing, value, I32(0)), nothing, zeros)

    def _plan_streaming(self) -> None:
        """`stream`: whether to write past the cache; `head`: elements until the results are aligned."""
        b = self.b
        first, sort = self.outputs[0]
        address = b.ptrtoint(self.base[first], I64)
        gap = b.and_(b.sub(I64(0), address), I64(ALIGN - 1))
        head = b.udiv(gap, I64(size_of(sort)))
        stream = b.and_(self.fast, b.icmp_signed(">=", self.count, I64(STREAM_BYTES // size_of(sort))))
        for k, other in self.outputs:
            if self.lanes * size_of(other) < ALIGN:
                stream = I1(0)  # a turn would end in the middle of a line
                continue
            reached = b.add(b.ptrtoint(self.base[k], I64), b.mul(head, I64(size_of(other))))
            aligned = b.icmp_unsigned("==", b.and_(reached, I64(ALIGN - 1)), I64(0))
            stream = b.and_(stream, aligned)
        self.stream = stream
        self.head = b.select(stream, head, I64(0))

    # -- turns --------------------------------------------------------------------------

    def _turns(self, function: ir.Function, done: ir.Block) -> ir.Value | None:
        b = self.b
        prepared = b.block
        names = ("turn", "fetch", "body", "deliver", "next")
        turn, fetch, body, deliver, following = (function.append_basic_block(name) for name in names)
        b.branch(turn)

        b.position_at_end(turn)
        at = b.phi(I64, "at")
        at.add_incoming(I64(0), prepared)
        accumulated = None
        if self.function.requirements:
            # As wide as the operands, so that a comparison's lanes need no packing.
            lane = ir.IntType(8 * size_of(self.inputs[0][1]) if self.inputs else 8)
            accumulated = b.phi(ir.VectorType(lane, self.lanes), "broken")
            accumulated.add_incoming(ir.Constant(accumulated.type, None), prepared)
        left = b.sub(self.count, at)
        short = b.icmp_signed("<", left, I64(self.lanes))
        count = b.select(short, left, I64(self.lanes))
        heading = b.and_(b.icmp_signed("==", at, I64(0)), b.icmp_signed(">", self.head, I64(0)))
        count = b.select(heading, self.head, count)
        whole = b.icmp_signed("==", count, I64(self.lanes))
        quick = b.and_(self.fast, whole)
        place = {k: b.gep(self.base[k], [b.mul(at, self.step[k])], source_etype=I8) for k in self.buffers}
        direct = {k: b.select(self.scalar[k], self.buffers[k], place[k]) for k, _ in self.inputs}
        b.cbranch(quick, body, fetch)

        b.position_at_end(fetch)
        fetched = {
            k: b.call(self._fetch(size_of(sort) * 8), [self.buffers[k], place[k], self.step[k], count])
            for k, sort in self.inputs
        }
        b.branch(body)

        b.position_at_end(body)
        source = {}
        for k, _ in self.inputs:
            source[k] = b.phi(POINTER)
            source[k].add_incoming(direct[k], turn)
            source[k].add_incoming(fetched[k], fetch)
        target = {}
        for k, _ in self.outputs:
            target[k] = b.phi(POINTER)
            target[k].add_incoming(place[k], turn)
            target[k].add_incoming(self.buffers[k], fetch)
        broken = self._body(source, target, quick, accumulated)
        b.cbranch(quick, following, deliver)

        b.position_at_end(deliver)
        for k, sort in self.outputs:
            b.call(self._deliver(size_of(sort) * 8), [place[k], self.buffers[k], self.step[k], count])
        b.branch(following)

        b.position_at_end(following)
        moved = b.add(at, count)
        at.add_incoming(moved, following)
        if accumulated is not None:
            accumulated.add_incoming(broken, following)
        self.loop_end = following
        b.cbranch(b.icmp_signed("<", moved, self.count), turn, done)
        return broken

    def _body(
        self,
        source: dict[int, ir.Value],
        target: dict[int, ir.Value],
        quick: ir.Value,
        accumulated: ir.Value | None,
    ) -> ir.Value | None:
        """Loads, computes and stores one vector of every operand; the failures so far with this turn's."""
        b = self.b
        loaded: list[ir.Value] = [None] * len(self.function.inputs)
        for k, sort in self.inputs:
            loaded[k] = self._load(source[k], sort)
        for k, _ in self.arrays:
            loaded[k] = self.tables[k]
        emitter = Emitter(b, self.lanes, loaded, self.abilities)
        conditions = [requirement.condition for requirement in self.function.requirements]
        emitter.emit([*self.function.results, *conditions])
        stored = [
            self._stored(emitter.settled(root), sort)
            for root, sort in zip(self.function.results, self.function.outputs, strict=True)
        ]
        broken = None
        if accumulated is not None:
            holds = emitter.values[conditions[0]]
            for condition in conditions[1:]:
                holds = b.and_(holds, emitter.values[condition])
            ones = ir.Constant(holds.type, [1] * self.lanes)
            broken = b.or_(accumulated, b.sext(b.xor(holds, ones), accumulated.type))
        with b.if_else(b.and_(quick, self.stream)) as (past, through):
            with past:
                for (k, _), value in zip(self.outputs, stored, strict=True):
                    store = b.store(value, target[k], align=ALIGN)
                    store.set_metadata("nontemporal", self.module.add_metadata([I32(1)]))
            with through:
                for (k, sort), value in zip(self.outputs, stored, strict=True):
                    b.store(value, target[k], align=size_of(sort))
        return broken

    def _load(self, pointer: ir.Value, sort: Sort) -> ir.Value:
        b = self.b
        value = b.load(pointer, typ=ir.VectorType(storage_type(sort), self.lanes), align=size_of(sort))
        if sort.kind == "bool":  # any byte but 0 is true
            return b.icmp_unsigned("!=", value, ir.Constant(value.type, [0] * self.lanes))
        if sort.kind == "int" and sort.width != storage_width(sort):
            return b.trunc(value, ir.VectorType(ir.IntType(sort.width), self.lanes))
        return value

    def _stored(self, value: ir.Value, sort: Sort) -> ir.Value:
        if sort.kind == "float" and (is_half(sort) or value.type.element == storage_type(sort)):
            return value
        kind = ir.VectorType(storage_type(sort), self.lanes)
        if value.type == kind:
            return value
        return self.b.sext(value, kind) if sort.signed else self.b.zext(value, kind)

    # -- buffers ------------------------------------------------------------------------

    def _fetch(self, width: int) -> ir.Function:
        """fetch(buffer, place, step, count) → where a whole vector can be loaded.

        Lanes past the count repeat the first element: real data, so no lane invents a failure.
        """
        name = f"fetch{width}"
        if name in self.module.globals:
            return self.module.globals[name]
        function = ir.Function(self.module, ir.FunctionType(POINTER, [POINTER, POINTER, I64, I64]), name)
        function.linkage = "internal"
        buffer, place, step, count = function.args
        item = ir.IntType(width)
        b = ir.IRBuilder(function.append_basic_block("entry"))
        with b.if_then(b.icmp_signed("==", step, I64(0))):
            b.ret(buffer)
        whole = b.icmp_signed("==", count, I64(self.lanes))
        with b.if_then(b.and_(whole, b.icmp_signed("==", step, I64(width // 8)))):
            b.ret(place)
        first = b.load(place, typ=item, align=width // 8)
        b.store(self._spread(b, first), buffer, align=ALIGN)

        def copy(at: ir.Value) -> None:
            value = b.load(b.gep(place, [b.mul(at, step)], source_etype=I8), typ=item, align=width // 8)
            b.store(value, b.gep(buffer, [at], source_etype=item), align=width // 8)

        _repeat(b, I64(1), count, copy)
        b.ret(buffer)
        return function

    def _deliver(self, width: int) -> ir.Function:
        """deliver(place, buffer, step, count): the first lanes to where they belong."""
        name = f"deliver{width}"
        if name in self.module.globals:
            return self.module.globals[name]
        function = ir.Function(self.module, ir.FunctionType(ir.VoidType(), [POINTER, POINTER, I64, I64]), name)
        function.linkage = "internal"
        place, buffer, step, count = function.args
        item = ir.IntType(width)
        b = ir.IRBuilder(function.append_basic_block("entry"))

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

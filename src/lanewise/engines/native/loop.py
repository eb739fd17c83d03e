"""The inner loop of a function, in the form that NumPy's ufunc machinery calls.

There is one body, and it works on whole vectors. Operands that lie otherwise (strided, reversed,
broadcast, or the last few elements) pass through small buffers on the stack on their way in and
out, so every layout computes the same thing by construction. Large results are written past the
cache (streaming stores), after a first short step that aligns them.
"""

from __future__ import annotations

from llvmlite import ir

from lanewise.engines.native.copies import ALIGN, Copies
from lanewise.engines.native.emit import Emitter, element_type, is_half
from lanewise.engines.native.tables import in_registers, load
from lanewise.engines.native.target import Abilities
from lanewise.engines.storage import storage_width
from lanewise.language.nodes import postorder
from lanewise.language.sorts import ArraySort, Sort
from lanewise.language.words import Function

I1, I8, I32, I64, POINTER = ir.IntType(1), ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.PointerType()
VECTOR_BYTES = 128  # bytes of the widest word that one turn of the body computes
LONG_TURNS = 16  # turns from which aligning the result is worth a short first one
SMALL_BODY = 48  # nodes up to which what surrounds the body counts, and the body is written twice
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
        roots = [*function.results, *(requirement.condition for requirement in function.requirements)]
        self.has_run = sum(1 for _ in postorder(roots)) <= SMALL_BODY
        self.abilities = abilities
        self.module = ir.Module()
        self.copies = Copies(self.module, self.lanes)
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
        self._enter_floats()
        entered = b.block
        b.cbranch(b.icmp_signed(">", self.count, I64(0)), start, done)
        b.position_at_end(start)
        self._prepare()
        self.exits: list[tuple[ir.Value | None, ir.Block]] = []
        self._turns(function, done)
        b.position_at_end(done)
        last = self.exits[0][0]
        if last is not None:
            broken = b.phi(last.type)
            broken.add_incoming(ir.Constant(last.type, None), entered)
            for value, block in self.exits:
                broken.add_incoming(value, block)
            report = function.append_basic_block("report")
            leave = function.append_basic_block("leave")
            b.cbranch(self._any(broken), report, leave)
            b.position_at_end(report)
            b.atomic_rmw("add", self.data, I64(1), "monotonic")
            b.branch(leave)
            b.position_at_end(leave)
        if self.own_flags:
            b.call(self._mxcsr("ld"), [self.caller_mxcsr])
        b.ret_void()
        return str(self.module)

    def _shared(self, position: int) -> ir.Value:
        """A place in `Ufunc.shared`."""
        return self.b.gep(self.data, [I64(position)], source_etype=I64)

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
                b.store(self.copies.spread(b, value), self.buffers[k], align=ALIGN)
        for k, sort in self.outputs:
            fast = b.and_(fast, b.icmp_signed("==", self.step[k], I64(size_of(sort))))
        self.fast = fast
        self._plan_streaming()

    def _plan_streaming(self) -> None:
        """`stream`: whether to write past the cache; `head`: elements until the results are aligned."""
        b = self.b
        first, sort = self.outputs[0]
        address = b.ptrtoint(self.base[first], I64)
        gap = b.and_(b.sub(I64(0), address), I64(ALIGN - 1))
        head = b.udiv(gap, I64(size_of(sort)))
        size = b.mul(self.count, I64(size_of(sort)))
        stream = b.and_(self.fast, b.icmp_signed(">=", size, b.load(self._shared(1), typ=I64)))
        for k, other in self.outputs:
            if self.lanes * size_of(other) < ALIGN:
                stream = I1(0)  # a turn would end in the middle of a line
                continue
            reached = b.add(b.ptrtoint(self.base[k], I64), b.mul(head, I64(size_of(other))))
            aligned = b.icmp_unsigned("==", b.and_(reached, I64(ALIGN - 1)), I64(0))
            stream = b.and_(stream, aligned)
        self.stream = stream
        # Vectors as wide as a line cross one each time unless they are aligned. Arrays of some size mostly lie alike
        # within their lines, so that operands are aligned with the result.
        long = b.and_(self.fast, b.icmp_signed(">=", self.count, I64(LONG_TURNS * self.lanes)))
        if self.lanes * size_of(sort) < ALIGN:
            long = I1(0)  # the first turn has room for one vector only
        self.head = b.select(b.or_(stream, long), head, I64(0))

    # -- turns --------------------------------------------------------------------------

    def _turns(self, function: ir.Function, done: ir.Block) -> None:
        b = self.b
        prepared = b.block
        names = ("choose", "turn", "fetch", "body", "deliver", "next")
        choose, turn, fetch, body, deliver, following = (function.append_basic_block(name) for name in names)
        b.branch(choose)

        b.position_at_end(choose)
        at = b.phi(I64, "at")
        at.add_incoming(I64(0), prepared)
        accumulated = None
        if self.function.requirements:
            # As wide as the operands, so that a comparison's lanes need no packing.
            lane = ir.IntType(8 * size_of(self.inputs[0][1]) if self.inputs else 8)
            accumulated = b.phi(ir.VectorType(lane, self.lanes), "broken")
            accumulated.add_incoming(ir.Constant(accumulated.type, None), prepared)
        left = b.sub(self.count, at)
        if self.has_run:
            past_head = b.or_(b.icmp_signed(">", at, I64(0)), b.icmp_signed("==", self.head, I64(0)))
            ready = b.and_(b.and_(self.fast, past_head), b.icmp_signed(">=", left, I64(self.lanes)))
            run = function.append_basic_block("run")
            b.cbranch(ready, run, turn)
            b.position_at_end(run)
            self._run(function, at, accumulated, choose, done)
        else:
            b.branch(turn)

        b.position_at_end(turn)
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
            k: b.call(self.copies.fetch(size_of(sort) * 8), [self.buffers[k], place[k], self.step[k], count])
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
            b.call(self.copies.deliver(size_of(sort) * 8), [place[k], self.buffers[k], self.step[k], count])
        b.branch(following)

        b.position_at_end(following)
        moved = b.add(at, count)
        at.add_incoming(moved, following)
        if accumulated is not None:
            accumulated.add_incoming(broken, following)
        self.exits.append((broken, following))
        b.cbranch(b.icmp_signed("<", moved, self.count), choose, done)

    def _run(
        self, function: ir.Function, at: ir.Value, accumulated: ir.Value | None, choose: ir.Block, done: ir.Block
    ) -> None:
        """Whole vectors of operands that lie in order, as many as there are: nothing to decide in between."""
        b, before = self.b, self.b.block
        starts, steps = {}, {}
        for k, _ in (*self.inputs, *self.outputs):
            starts[k] = b.gep(self.base[k], [b.mul(at, self.step[k])], source_etype=I8)
            steps[k] = b.mul(self.step[k], I64(self.lanes))
        for k, _ in self.inputs:
            starts[k] = b.select(self.scalar[k], self.buffers[k], starts[k])
        again = function.append_basic_block("again")
        b.branch(again)
        b.position_at_end(again)
        moving = b.phi(I64)
        moving.add_incoming(at, before)
        places = {k: b.phi(POINTER) for k in starts}
        for k, place in places.items():
            place.add_incoming(starts[k], before)
        failing = None
        if accumulated is not None:
            failing = b.phi(accumulated.type)
            failing.add_incoming(accumulated, before)
        broken = self._body(places, places, I1(1), failing)
        moved = b.add(moving, I64(self.lanes))
        end = b.block
        moving.add_incoming(moved, end)
        for k, place in places.items():
            place.add_incoming(b.gep(place, [steps[k]], source_etype=I8), end)
        if failing is not None:
            failing.add_incoming(broken, end)
        over = function.append_basic_block("over")
        b.cbranch(b.icmp_signed("<=", b.add(moved, I64(self.lanes)), self.count), again, over)
        b.position_at_end(over)
        at.add_incoming(moved, over)
        if accumulated is not None:
            accumulated.add_incoming(broken, over)
        self.exits.append((broken, over))
        b.cbranch(b.icmp_signed("<", moved, self.count), choose, done)

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

"""Claims that are true, claims that people get wrong, and what cannot be asked."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import lanewise as lw
from lanewise.engines.claim import Claim
from lanewise.engines.proof import Answer, Question
from lanewise.engines.sweep import crossed, exhaustive
from lanewise.proof.prove import decide, prove_functions
from lanewise.proof.subjects import claim_of_functions

w = lw.words
WIDTHS = ("int8", "int16", "int32", "int64")
RIGHT = partial(lw.onnx.bit_shift, direction="RIGHT")
LEFT = partial(lw.onnx.bit_shift, direction="LEFT")


def refuted(f, g, types, *, source=None, target=None, broken=None, operands=None):
    """The verdict, after a look at the counterexample: the two sides really differ there."""
    verdict = lw.prove_equal(f, g, types)
    assert verdict.status == "refuted", verdict
    assert not verdict
    found = verdict.counterexample
    assert found is not None
    assert found.broken or found.source != found.target
    if source is not None:
        assert (found.source_value, found.target_value) == (source, target)
    if broken is not None:
        assert found.broken == (broken,)
    if operands is not None:
        assert found.values == operands
    return found


def divided(x, n):
    """x >> n as exporters wrote it."""
    w.require(w.within(n, 0, x.element.width - 2), "a power that the type holds")
    return w.quotient_towards_zero(x, w.shift_left(w.literal(1, x.element), n))


@pytest.mark.parametrize("type_", WIDTHS)
def test_right_shift_as_truncating_division(type_: str):
    def shift(x, n):
        w.require(w.within(n, 0, x.element.width - 2), "a power that the type holds")
        return RIGHT(x, n)

    refuted(shift, divided, [type_, type_], source=-1, target=0, operands=(-1, 1))


@pytest.mark.parametrize("type_", WIDTHS)
def test_logical_for_arithmetic_and_back(type_: str):
    version = "1.1"
    logical = partial(lw.tosa.logical_right_shift, version=version)
    arithmetic = partial(lw.tosa.arithmetic_right_shift, version=version)
    top = (1 << (int(type_[3:]) - 1)) - 1
    refuted(arithmetic, logical, [type_, type_], source=-1, target=top, operands=(-1, 1))
    refuted(logical, arithmetic, [type_, type_], source=top, target=-1, operands=(-1, 1))


@pytest.mark.parametrize("type_", ["int8", "int16", "int32"])
def test_a_choice_after_an_illegal_shift(type_: str):
    """The requirement has failed before the choice discards the element."""

    def chosen(x, n):
        inside = w.within(n, 0, x.element.width - 1)
        return w.select(inside, lw.tosa.logical_left_shift(x, n, version="1.0"), 0)

    width = int(type_[3:])
    refuted(LEFT, chosen, [type_, type_], broken=f"0 <= input2 <= {width - 1}", operands=(0, -1))


@pytest.mark.parametrize("type_", WIDTHS)
def test_counts_masked_by_the_width(type_: str):
    def masked(x, n):
        return w.shift_right(x, n & (x.element.width - 1))

    found = refuted(RIGHT, masked, [type_, type_])
    assert found.values[1] not in range(int(type_[3:]))


@pytest.mark.parametrize("type_", WIDTHS)
def test_half_away_from_zero(type_: str):
    def half_away(x, n):
        size = w.reinterpret_unsigned(w.absolute(x))
        count = w.reinterpret_unsigned(n)
        half = w.select(n > 0, w.shift_left(w.literal(1, size.element), count - 1), 0)
        rounded = w.reinterpret(w.shift_right(size + half, count), x.element)
        return w.select(x < 0, w.negative(rounded), rounded)

    shift = partial(lw.tosa.arithmetic_right_shift, round=True, version="1.1")
    refuted(shift, half_away, [type_, type_], source=0, target=-1, operands=(-1, 1))


def test_the_older_product_for_negative_numbers():
    newer = partial(lw.tosa.mul, shift=2, version="1.0")
    older = partial(lw.tosa.mul, shift=2, version="0.23.0")
    found = refuted(newer, older, ["int32", "int32"], broken="input2 >= 0")
    assert found.values == (0, -1)
    assert lw.prove_equal(older, newer, ["int32", "int32"])


def test_a_fixed_shift_of_six_bits_is_searched_as_others_are():
    """By itself a solver may look for long for what the first boundary values show."""
    newer = partial(lw.tosa.mul, shift=2, version="1.0")
    older = partial(lw.tosa.mul, shift=2, version="0.23.0")
    claim = claim_of_functions(newer, older, ["int32", "int32"])
    assert not claim.has_slivers
    assert decide(claim).method.startswith("search over")
    # An operand of six bits stays one.
    free = claim_of_functions(lw.tosa.mul, lw.tosa.mul, ["int32", "int32", "uint6"])
    assert free.has_slivers


def test_a_question_takes_the_same_work_whatever_was_asked_before():
    def product(x, y, z):
        return (x + y) * z

    def sum_of_products(x, y, z):
        return z * y + x * z

    def asked() -> Answer:
        claim = claim_of_functions(product, sum_of_products, ["int8"] * 3)
        return Question(claim.source, claim.target, claim.tables, abstract=False).ask(20)

    first = asked()
    assert (first.status, first.seconds > 0) == ("proven", True)
    other = claim_of_functions(lambda x, y: x * y, lambda x, y: y * x + 1, ["int16", "int16"])
    assert Question(other.source, other.target, other.tables, abstract=False).ask(20).status == "refuted"
    assert asked() == first


def test_the_limit_is_one_of_work():
    def by_bits(x, y):
        return (x & y) * (x | y) + (x & ~y) * (y & ~x)

    claim = claim_of_functions(lambda x, y: x * y, by_bits, ["int32", "int32"])  # true, and beyond z3
    question = Question(claim.source, claim.target, claim.tables, abstract=False)
    answers = [question.ask(seconds) for seconds in (0.01, 0.01, 0.1)]
    assert [answer.status for answer in answers] == ["unknown"] * 3
    assert answers[0] == answers[1]
    assert answers[0].seconds < answers[2].seconds < 1


@pytest.mark.parametrize("type_", WIDTHS)
def test_double_rounding(type_: str):
    shift = partial(lw.tosa.arithmetic_right_shift, round=True, version="1.1")

    def at_once(x):
        return shift(x, 4)

    def in_two_steps(x):
        return shift(shift(x, 3), 1)

    found = refuted(at_once, in_two_steps, [type_])
    assert found.values == (4,)  # 4 / 16 is 0; 4 / 8 rounds to 1, and 1 / 2 to 1
    assert (found.source_value, found.target_value) == (0, 1)


# -- what is true ---------------------------------------------------------------------------------


@pytest.mark.parametrize("type_", WIDTHS)
def test_a_shift_with_a_normalised_count(type_: str):
    def normalised(x, n):
        width = x.element.width
        count = w.select(w.within(n, 0, width - 1), n, width - 1)
        return lw.tosa.arithmetic_right_shift(x, count, version="1.1")

    assert lw.prove_equal(RIGHT, normalised, [type_, type_])


def test_premises_are_assumed():
    def small(x, n):
        w.require(w.within(n, 0, 7), "0 <= n <= 7")
        return RIGHT(x, n)

    def bare(x, n):
        return w.shift_right(x, n & 7)

    assert lw.prove_equal(small, bare, ["int32", "int32"])
    assert not lw.prove_equal(bare, small, ["int32", "int32"])


def test_products_and_quotients():
    """What is left abstract is enough where the same ones stand on both sides."""

    def swapped(a, b):
        return lw.onnx.mul(b, a)

    assert lw.prove_equal(lw.onnx.mul, swapped, ["int64", "int64"])
    assert lw.prove_equal(partial(lw.tosa.intdiv, version="1.1"), lw.onnx.div, ["int64", "int64"])
    refuted(lw.onnx.div, partial(lw.tosa.intdiv, version="1.1"), ["int64", "int64"], broken="input2 != 0")


def test_floats():
    def turned(a, b):
        return b + a

    assert lw.prove_equal(lw.onnx.add, turned, ["float32", "float32"])
    assert lw.prove_equal(lw.onnx.max, lambda a, b: lw.tosa.maximum(b, a), ["float32", "float32"])
    found = refuted(lw.onnx.max, lw.tosa.maximum, ["float32", "float32"], source=0.0, target=0.0)
    assert {found.source, found.target} == {0, 1 << 31}  # zeros of two signs
    refuted(lambda a: a, lambda a: a + 0.0, ["float16"], source=0.0, target=0.0)  # -0.0 + 0.0
    assert lw.prove_equal(lambda a: a, lambda a: a * 1.0, ["float16"])


def test_tables():
    def read(x, table):
        return w.lookup(table, w.wrap(w.widen(x, w.i16) + 128, w.u8))

    assert lw.prove_equal(lw.tosa.table, read, ["int8", "int8[256]"])

    def unbiased(x, table):
        return w.lookup(table, w.wrap(x, w.u8))

    verdict = lw.prove_equal(lw.tosa.table, unbiased, ["int8", "int8[256]"])
    assert verdict.status == "refuted"
    assert "int8[256]" in str(verdict)


def test_unknown_is_a_failure():
    """A quotient of 64 bits that no fact settles."""

    def quotient(a, b):
        return w.quotient_towards_zero(a, b | 1)

    def stepped(a, b):
        half = w.quotient_towards_zero(w.shift_right(a, 1), b | 1)
        rest = a - w.shift_left(half, 1) * (b | 1)
        return w.shift_left(half, 1) + w.select(rest >= (b | 1), w.literal(1, a.element), w.literal(0, a.element))

    verdict = lw.prove_equal(quotient, stepped, ["uint64", "uint64"], seconds=0.5)
    assert verdict.status == "unknown"
    assert not verdict
    assert "gave up after the work of 0.5 s" in str(verdict)


def test_the_words_of_a_counterexample():
    verdict = lw.prove_equal(RIGHT, partial(RIGHT, opset=28), ["int8", "int8"])
    assert "one expression" in str(verdict)
    text = str(lw.prove_equal(lw.onnx.add, lw.onnx.sub, ["int16", "int16"]))
    assert "operand 1 = 1  (int16 00000000_00000001)" in text
    assert "target    = -1  (int16 11111111_11111111)" in text


# -- graphs -----------------------------------------------------------------------------------------


def graph(build, onnx=28, **inputs):
    builder = lw.Builder(onnx=onnx)
    tensors = {name: builder.input(name, sort, shape) for name, (sort, shape) in inputs.items()}
    builder.output("z", build(builder, *tensors.values()))
    return builder.model()


def test_graphs_with_broadcasting():
    x, y = ("int8", ("n", 3)), ("int8", (3,))
    plain = graph(lambda g, x, y: g.node("Add", x, y), x=x, y=y)
    ones = np.int8([1, 2, 3])
    around = graph(
        lambda g, x, y: g.node("Sub", g.node("Add", g.node("Add", y, g.constant(ones)), x), g.constant(ones)), x=x, y=y
    )
    assert lw.prove_equal(plain, around)
    turned = np.int8([3, 2, 1])  # other values go together than in either constant alone
    other = graph(
        lambda g, x, y: g.node("Sub", g.node("Add", g.node("Add", y, g.constant(ones)), x), g.constant(turned)),
        x=x,
        y=y,
    )
    verdict = lw.prove_equal(plain, other)
    assert verdict.status == "refuted"
    assert verdict.counterexample is not None
    assert verdict.counterexample.source != verdict.counterexample.target


def test_graphs_that_move_elements():
    """Equal only if the elements meet: a transposition by reshape is none."""
    x = ("int16", (2, 3))

    def reshaped(g, x):
        narrow = g.node("Reshape", x, g.constant(np.int64([3, 2])))
        return g.node("Reshape", g.node("Neg", narrow), g.constant(np.int64([2, 3])))

    assert lw.prove_equal(graph(lambda g, x: g.node("Neg", x), x=x), graph(reshaped, x=x))
    row, flat = np.int16([[1, 2, 1], [2, 1, 2]]), np.int16([[1, 2]])

    def early(g, x):
        return g.node("Reshape", g.node("Add", x, g.constant(row)), g.constant(np.int64([3, 2])))

    def late(g, x):
        return g.node("Add", g.node("Reshape", x, g.constant(np.int64([3, 2]))), g.constant(flat))

    def swapped(g, x):
        return g.node("Add", g.node("Reshape", x, g.constant(np.int64([3, 2]))), g.constant(flat[:, ::-1].copy()))

    assert lw.prove_equal(graph(early, x=x), graph(late, x=x))
    assert lw.prove_equal(graph(early, x=x), graph(swapped, x=x)).status == "refuted"


def test_one_input_in_two_places():
    """x and its own reversal by broadcasting: what differs must be able to differ."""
    x = ("int32", (3, 1))

    def crossed_sum(g, x):
        return g.node("Add", x, g.node("Reshape", x, g.constant(np.int64([1, 3]))))

    def crossed_turned(g, x):
        return g.node("Add", g.node("Reshape", x, g.constant(np.int64([1, 3]))), x)

    def doubled(g, x):
        wide = g.node("Expand", x, g.constant(np.int64([3, 3])))
        return g.node("Add", wide, x)

    assert lw.prove_equal(graph(crossed_sum, x=x), graph(crossed_turned, x=x))
    assert lw.prove_equal(graph(crossed_sum, x=x), graph(doubled, x=x)).status == "refuted"


def test_requirements_of_dead_nodes_count():
    def build(dead: bool):
        builder = lw.Builder(tosa="0.23.0")
        x = builder.input("x", "int32", (4,))
        if dead:
            builder.node("ADD", x, x)
        builder.output("z", builder.node("BITWISE_NOT", x))
        return builder.model()

    assert lw.prove_equal(build(True), build(False))
    verdict = lw.prove_equal(build(False), build(True))
    assert verdict.status == "refuted"
    assert verdict.counterexample is not None
    assert verdict.counterexample.broken[0].startswith("input1 + input2 fits int32 (node 0 (ADD)")


def test_tables_of_a_graph():
    def build(entries):
        builder = lw.Builder(tosa="0.23.0")
        x = builder.input("x", "int8", (4,))
        builder.output("z", builder.node("TABLE", x, builder.constant(np.array(entries, np.int8))))
        return builder.model()

    def negated():
        builder = lw.Builder(tosa="0.23.0")
        builder.output("z", builder.node("BITWISE_NOT", builder.input("x", "int8", (4,))))
        return builder.model()

    inverted = [~value for value in range(-128, 128)]
    assert lw.prove_equal(build(inverted), negated())
    inverted[200] = 0
    verdict = lw.prove_equal(build(inverted), negated())
    assert verdict.status == "refuted"
    assert verdict.counterexample is not None
    assert verdict.counterexample.values[0] == 200 - 128


# -- what cannot be asked ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: lw.prove_equal(lw.tosa.add, 5, ["int8"]), "both must be functions of words, or both graphs"),
        (lambda: lw.prove_equal(lw.tosa.add, lw.tosa.sub), "give the operands' types"),
        (lambda: lw.prove_equal(lw.tosa.add, lw.tosa.sub, "int32"), "give the operands' types"),
        (lambda: lw.prove_equal(lw.tosa.add, lw.tosa.sub, ["int33"] * 2), "type 'int33'; allowed: bool, int4"),
        (lambda: lw.prove_equal(lw.tosa.add, lw.tosa.sub, ["int8"] * 2), "add: ADD: no row for inputs"),
        (lambda: lw.prove_equal(lambda x: 3, lambda x: x, ["int8"]), "gives 3; it must give a value of the words"),
        (lambda: lw.prove_equal(lambda x: x, lambda x: x == 0, ["int8"]), "the first gives int8, the second bool"),
        (lambda: lw.prove_equal(lambda x: x, lambda x, y: x, ["int8"]), "missing 1 required positional argument"),
        (lambda: lw.prove_equal(lambda x, y: x + y, lambda x, y: x, ["int8", "int16"]), "operands differ"),
        (lambda: lw.prove_equal(lambda x: w.select(x < 0, 7, 0), lambda x: x, ["int8"]), "7 and 0, which have no type"),
        (lambda: lw.prove_equal(lambda x: w.widen(x, w.i8), lambda x: x, ["int16"]), "does not widen to int8"),
    ],
)  # fmt: skip
def test_questions_that_are_none(ask, message: str):
    with pytest.raises(lw.InvalidError, match=message):
        ask()


def test_graphs_that_have_nothing_in_common():
    one = graph(lambda g, x: g.node("Neg", x), x=("int8", (2,)))
    two = graph(lambda g, x, y: g.node("Add", x, y), x=("int8", (2,)), y=("int8", (2,)))
    wide = graph(lambda g, x: g.node("Neg", x), x=("float16", (2,)))
    tall = graph(lambda g, x: g.node("Neg", x), x=("int8", (2, 1)))
    with pytest.raises(lw.InvalidError, match="they must be the same, or as many"):
        lw.prove_equal(one, two)
    for other in (wide, tall):
        with pytest.raises(lw.InvalidError, match="they must have one shape and carry the same bits"):
            lw.prove_equal(one, other)
    shaped = graph(lambda g, x: g.node("Reshape", g.node("Neg", x), g.constant(np.int64([2, 1]))), x=("int8", (2,)))
    with pytest.raises(lw.InvalidError, match=r"output 'z' is int8\[2\]; .* output 'z' is int8\[2, 1\]"):
        lw.prove_equal(one, shaped)
    left = graph(lambda g, a, b: g.node("Sub", a, b), a=("int8", (2,)), b=("int8", (2,)))
    right = graph(lambda g, b, c: g.node("Sub", b, c), b=("int8", (2,)), c=("int8", (2,)))
    with pytest.raises(lw.InvalidError, match="or as many of other names"):
        lw.prove_equal(left, right)
    other = graph(lambda g, c, d: g.node("Sub", c, d), c=("int8", (2,)), d=("int8", (2,)))
    assert "input 'a' as 'c'; input 'b' as 'd'" in lw.prove_equal(left, other).method
    with pytest.raises(lw.InvalidError, match="shapes: no graph has an input 'nope'"):
        lw.prove_equal(one, one, shapes={"nope": (2,)})
    with pytest.raises(lw.InvalidError, match="does not fit"):
        lw.prove_equal(one, one, shapes={"x": (3,)})
    with pytest.raises(lw.InvalidError, match="give the operands' types"):
        lw.prove_equal(lw.onnx.add, lw.onnx.add, 3)  # type: ignore[arg-type]


def test_halves_are_halves_of_something_wide():
    """Two int32 tensors are not one int32 tensor, whatever their names say."""

    def halves(g, high, low):
        return g.node("BitwiseNot", low)

    two = graph(halves, **{"x.high": ("int32", (2,)), "x.low": ("int32", (2,))})
    one = graph(lambda g, x: g.node("BitwiseNot", x), x=("int32", (2,)))
    with pytest.raises(lw.InvalidError, match="give the graph with the whole tensor first"):
        lw.prove_equal(two, one)
    with pytest.raises(lw.InvalidError, match="they must have one shape"):
        lw.prove_equal(one, two)


def test_a_wider_type_carries_the_same_numbers():
    narrow = graph(lambda g, x: g.node("Max", x), x=("int8", (2,)))
    wide = graph(lambda g, x: g.node("Max", x), x=("int16", (2,)))
    assert lw.prove_equal(narrow, wide)
    negated = [graph(lambda g, x: g.node("Neg", x), x=(sort, (2,))) for sort in ("int8", "int16")]
    verdict = lw.prove_equal(*negated)
    assert verdict.status == "refuted"
    assert verdict.counterexample is not None
    assert verdict.counterexample.values == (-128,)


def test_open_sizes_are_said():
    """With m = 1 it would be false, so the verdict says for which shapes it was decided."""
    x, y = ("int8", ("n",)), ("int8", ("m",))
    plain = graph(lambda g, x, y: g.node("Add", x, y), x=x, y=y)
    shaped = graph(lambda g, x, y: g.node("Add", x, g.node("Reshape", y, g.constant(np.int64([2])))), x=x, y=y)
    assert "x of shape [2]; y of shape [2]" in lw.prove_equal(plain, shaped).method


def test_one_element_that_goes_everywhere():
    """A dead node sees the same x[0], which the first graph requires not to be 0."""

    def build(dead: bool):
        builder = lw.Builder(tosa="1.0")
        x, y = builder.input("x", "int32", (1,)), builder.input("y", "int32", (2,))
        if dead:
            builder.node("INTDIV", builder.constant(np.int32([1])), x)
        builder.output("z", builder.node("INTDIV", y, x))
        return builder.model()

    assert lw.prove_equal(build(False), build(True))


def test_what_is_never_valid_is_not_refuted():
    def build(*divisors: int):
        builder = lw.Builder(tosa="1.0")
        x = builder.input("x", "int32", (2,))
        builder.output("z", builder.node("INTDIV", x, builder.constant(np.int32(divisors))))
        return builder.model()

    assert lw.prove_equal(build(0, 1), build(0, 2)).status != "refuted"
    assert lw.prove_equal(build(3, 1), build(3, 2)).status == "refuted"


def test_constants_of_every_type():
    for sort, values in (("float32", [1.0, 2.0]), ("int64", [1, 1 << 40]), ("float16", [0.0, -0.0])):
        array = np.array(values, sort)
        kind = (sort, (2,))
        one = graph(lambda g, x, array=array: g.node("Mul", x, g.constant(array)), x=kind)
        assert lw.prove_equal(one, one)
    cast = [
        graph(
            lambda g, x, name=name, c=c: g.node(name, g.node("Cast", x, to="int32"), g.constant(np.int32(c))),
            x=("uint8", (2,)),
        )
        for name, c in (("Add", [1, 2]), ("Sub", [-1, -2]))
    ]
    assert lw.prove_equal(*cast)


def test_numbers_on_the_left():
    for words, same in (
        (lambda a: 2 * a, lambda a: a + a),
        (lambda a: 1 - a, lambda a: -(a - 1)),
        (lambda a: 1 + a, lambda a: a + 1),
        (lambda a: 7 & a, lambda a: a & 7),
        (lambda a: 7 | a, lambda a: a | 7),
        (lambda a: 7 ^ a, lambda a: a ^ 7),
    ):
        assert lw.prove_equal(words, same, ["int8"])


def test_words_of_a_few_bits_are_left_to_the_solver():
    """LLVM gives up on some of them, and takes the process along."""

    def narrowed(x, n):
        return w.wrap(w.shift_right(x, n), w.integer(2, True))

    verdict = lw.prove_equal(narrowed, narrowed, ["int4", "int4"])
    assert verdict
    shifted = lw.prove_equal(
        narrowed, lambda x, n: w.wrap(w.shift_right(x, n & 3), w.integer(2, True)), ["int4", "int4"]
    )
    assert shifted.status == "refuted"
    assert shifted.method == "z3"


# -- the two ways of trying ------------------------------------------------------------------------------


def test_trying_finds_what_solving_finds():
    """Breaks a true claim in one element, and looks for it."""

    def broken(place: int):
        def words(x, n):
            good = RIGHT(x, n)
            return w.select((x == place) & (n == 3), good + 1, good)

        return words

    from lanewise.proof.subjects import claim_of_functions

    claim = claim_of_functions(RIGHT, broken(77), ["int8", "int8"])
    found, count = exhaustive(claim)
    assert (found, count) == ((77, 3), 65536)
    true = claim_of_functions(RIGHT, RIGHT, ["int8", "int8"])
    assert exhaustive(true) == (None, 65536)
    wide = claim_of_functions(RIGHT, broken(-(1 << 31)), ["int32", "int32"])
    found, _ = crossed(wide, 1 << 16)
    assert found == (1 << 31, 3)  # the ends of the type are always tried
    hidden = claim_of_functions(RIGHT, broken(123456789), ["int32", "int32"])
    assert crossed(hidden, 1 << 12)[0] is None
    verdict = decide(hidden)
    assert (verdict.status, verdict.method) == ("refuted", "z3")
    assert verdict.counterexample is not None
    assert verdict.counterexample.values == (123456789, 3)


def test_sums_that_overflow_are_found_by_trying():
    from lanewise.proof.subjects import claim_of_functions

    for types in (["int32"] * 2, ["int64"] * 2):
        add = partial(lw.tosa.add, version="1.1")
        assert crossed(claim_of_functions(lw.onnx.add, add, types), 1 << 12)[0] is not None
    three = claim_of_functions(
        lambda a, b, c: a + b + c, lambda a, b, c: lw.tosa.add(lw.tosa.add(a, b), c), ["int32"] * 3
    )
    assert crossed(three, 1 << 15)[0] is not None


def test_functions_are_compared_as_they_are():
    from lanewise.proof.subjects import defined, sort_named

    f = defined(lw.onnx.add, [sort_named("int8")] * 2)
    assert prove_functions(f, f)
    assert Claim(f, f).is_evident

"""Float division as TOSA spells it: there is no operator for it, but RECIPROCAL and then MUL.

Run it with: python examples/float_division.py
"""

from __future__ import annotations

import numpy as np

import lanewise as lw


def divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return lw.tosa.mul(a, lw.tosa.reciprocal(b))


def steps_apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How many float32 numbers lie between two of the same sign."""
    return np.abs(a.view(np.int32).astype(np.int64) - b.view(np.int32))


def main() -> None:
    generator = np.random.default_rng(23)
    a, b = (generator.uniform(1, 1000, 100_000).astype(np.float32) for _ in range(2))
    found, exact = divide(a, b), a / b

    # Two roundings instead of one: often the last bit differs, never more than two.
    apart = steps_apart(found, exact)
    assert apart.max() <= 2
    print(f"{a.size} quotients: {np.count_nonzero(apart)} are not the nearest float32, by {apart.max()} at most")

    # Zeros, infinities and NaN come out as division has them.
    specials = np.float32([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan])
    a, b = (side.ravel() for side in np.meshgrid(specials, specials))
    with np.errstate(all="ignore"):
        exact = a / b
    found = divide(a, b)
    assert np.array_equal(found, exact, equal_nan=True)
    assert np.array_equal(np.signbit(found)[exact == exact], np.signbit(exact)[exact == exact])  # noqa: PLR0124

    # What the recipe cannot do: 1 / b leaves the type although a / b is in it.
    tiny = np.float32([2e-39])
    with np.errstate(all="ignore"):
        print(f"{tiny[0]:.0e} / {tiny[0]:.0e}: exact {(tiny / tiny)[0]}, by RECIPROCAL and MUL {divide(tiny, tiny)[0]}")
    assert np.isinf(divide(tiny, tiny)).all()

    # The same as a graph; it runs as one loop.
    graph = lw.Builder(tosa="0.23.0", profile="MI")
    x, y = graph.input("x", "float32", (4,)), graph.input("y", "float32", (4,))
    graph.output("quotient", graph.node("MUL", x, graph.node("RECIPROCAL", y)))
    outcome = graph.model().run(np.float32([1, 2, 3, 4]), np.float32([2, -4, 8, 0.5]))
    assert outcome.status is lw.Status.VALID
    assert outcome.outputs["quotient"].tolist() == [0.5, -0.5, 0.375, 8.0]


if __name__ == "__main__":
    main()

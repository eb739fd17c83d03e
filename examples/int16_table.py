"""An int16 function by table: TABLE interpolates between 513 samples, RESCALE drops the fraction bits.

Run it with: python examples/int16_table.py
"""

from __future__ import annotations

import numpy as np

import lanewise as lw


def main() -> None:
    # tanh from -8 to 8. The input code x stands for x / 4096; the table holds a sample for every
    # 128th code, and one more at the end, so that the last stretch has a right-hand neighbour.
    samples = np.tanh(np.arange(-256, 257) / 32)
    table = np.round(32767 * samples).astype(np.int16)

    x = np.arange(-32768, 32768, dtype=np.int16)

    # The 9 high bits of a code choose a sample, the 7 low ones go on towards the next. The result
    # keeps those 7 bits as a fraction, so it is an int32 that is 128 times too large.
    fine = lw.tosa.table(x, table)

    # 2**14 / 2**21 is 1 / 128: rounded, and clipped to int16.
    y = lw.tosa.rescale(fine, 1 << 14, 21, output_type="int16")

    # In plain integers the pair comes to this.
    assert y.tolist() == np.clip((fine.astype(np.int64) + 64) >> 7, -32768, 32767).tolist()

    # The same as a graph. Table, multiplier and shift are attributes there, as the inference profiles want.
    graph = lw.Builder(tosa="0.23.0", profile="BI")
    fine_tensor = graph.node("TABLE", graph.input("x", "int16", x.shape), table=table)
    graph.output("y", graph.node("RESCALE", fine_tensor, multiplier=[1 << 14], shift=[21], output_type="int16"))
    model = graph.model()
    assert np.array_equal(model.run(x).outputs["y"], y)

    error = np.abs(y - 32767 * np.tanh(x / 4096.0)).max()
    assert error < 4.5  # the table is 32 samples to a unit: straight lines miss the curve by 3 steps
    print(model)
    print(f"\ntanh({x[40000] / 4096:.6f}) = {y[40000] / 32767:.6f}")
    print(f"{x.size} codes, largest error {error:.2f} steps of int16")


if __name__ == "__main__":
    main()

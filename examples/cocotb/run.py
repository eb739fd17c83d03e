"""A shifter in SystemVerilog, verified with cocotb: the planted fault is found and named, the repaired design passes.

Run it with: python examples/cocotb/run.py
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FAULT = {"operation": "rounded_right", "rule": "the sum wraps before the shift"}
WIDTHS = (8, 16)
TESTS = 4  # one for each operation


def main() -> int:
    if shutil.which("iverilog") is None:
        print("this example needs Icarus Verilog (iverilog)", file=sys.stderr)
        return 2
    try:
        import cocotb_tools.runner  # noqa: F401
    except ImportError:
        print("this example needs cocotb 2: pip install 'cocotb>=2.0'", file=sys.stderr)
        return 2
    good = True
    with tempfile.TemporaryDirectory() as folder:
        vectors = Path(folder) / "vectors"
        words = ["vectors", vectors, "--format", "npz", "--version", "1.0", "--filter", "SHIFT_int16"]
        subprocess.run([sys.executable, "-m", "lanewise", *words], check=True, stdout=subprocess.DEVNULL)
        for keep_carry in (0, 1):
            for width in WIDTHS:
                place = Path(folder) / f"{keep_carry}_{width}"
                findings = simulate(place, vectors, {"WIDTH": width, "KEEP_CARRY": keep_carry})
                named = [{key: finding[key] for key in FAULT} for finding in findings]
                good &= named == ([] if keep_carry else [FAULT])
    print(f"the planted fault was found and named, the repaired design passes: {'yes' if good else 'NO'}")
    return 0 if good else 1


def simulate(place: Path, vectors: Path, parameters: dict[str, int]) -> list[dict[str, Any]]:
    """Builds the design, runs the bench, and prints what failed."""
    from cocotb_tools.runner import get_results, get_runner

    place.mkdir()
    findings = place / "findings"
    findings.touch()
    runner = get_runner("icarus")
    runner.build(
        sources=[HERE / "shifter.sv"],
        hdl_toplevel="shifter",
        parameters=parameters,
        timescale=("1ns", "1ps"),
        build_dir=place,
        log_file=place / "build.log",
    )
    results = runner.test(
        hdl_toplevel="shifter",
        test_module="shifter_bench",
        test_dir=place,
        log_file=place / "test.log",
        extra_env={"VECTORS": str(vectors), "FINDINGS": str(findings)},
    )
    ran, failed = get_results(results)
    print(f"shifter, {', '.join(f'{k} = {v}' for k, v in parameters.items())}: {ran} tests, {failed} failed")
    found = [json.loads(line) for line in findings.read_text().splitlines()]
    for finding in found:
        print(f"  {finding['operation']}: " + finding["report"].replace("\n", "\n  "))
    if (ran, failed) != (TESTS, len(found)):
        print((place / "test.log").read_text(), file=sys.stderr)
        raise SystemExit(1)
    return found


if __name__ == "__main__":
    sys.exit(main())

"""The list of theorems: a part of it is decided here, and what reports quote is what has been proven."""

from __future__ import annotations

import subprocess
import sys

import pytest

from lanewise.language.words import Function
from lanewise.lowering import ledger
from lanewise.lowering.directions import directions
from lanewise.proof.run import Decided, decide_all, listed, matching
from lanewise.proof.theorem import Narrow, Theorem

STEP = 41  # one theorem in so many is decided


def quick(k: int) -> bool:
    return not listed()[k].complete and not listed()[k].narrow


def test_a_part_of_the_list():
    places = [k for k in range(len(listed())) if quick(k)][::STEP]
    found: list[Decided] = []
    decided = decide_all(places, found.append, seconds=30)
    assert [one.name for one in decided if one.verdict.status != "proven"] == []
    assert len(decided) == len(found) == len(places) > 300
    assert {one.group for one in decided} == {theorem.group for theorem in listed()} - {"kernels"} | {
        one.group for one in decided
    }


def test_the_identities_of_kernels():
    places = [k for k in matching("^(definitions|kernels): ") if quick(k)]
    decided = decide_all(places, lambda one: None, seconds=120)
    assert len(decided) > 10
    assert all(one.verdict for one in decided)


@pytest.mark.parametrize("direction", list(directions()), ids=lambda direction: direction.name)
def test_every_rule_is_on_record(direction):
    """The record is of these very rules: whoever changes one runs 'lanewise prove --record' again."""
    missing = [
        source.label for source in direction.instances() if ledger.proof_of(direction, source) == ledger.UNPROVEN
    ]
    assert missing == []


def test_a_theorem_that_is_false_is_refuted():
    """Each way of deciding says no to a claim with one wrong element."""
    from functools import partial

    import lanewise as lw
    from lanewise.proof.subjects import defined, sort_named

    right = partial(lw.onnx.bit_shift, direction="RIGHT")
    w = lw.words

    def wrong(x, n):
        return w.select((x == 5) & (n == 2), 0, right(x, n))

    def pair(name: str) -> tuple[Function, Function]:
        sorts = [sort_named(name)] * 2
        return defined(right, sorts), defined(wrong, sorts)

    for theorem in (
        Theorem("by the solver", "test", lambda: pair("int64")),
        Theorem("by trying", "test", lambda: pair("int8"), complete=True),
        Theorem("at narrow widths", "test", lambda: pair("int32"), (Narrow(8, lambda: pair("int8")),), complete=True),
    ):
        verdict = theorem.decide(10, 1 << 12)
        assert verdict.status == "refuted", theorem.name
        assert verdict.counterexample is not None
        assert verdict.counterexample.values == (5, 2)


def test_the_same_theorem_is_decided_once():
    places = matching(r"^ONNX to TOSA 1\.(0|1): BitwiseAnd-18 \(int8, int8\)")
    assert len(places) == 2
    first, second = decide_all(places, lambda one: None)
    assert first.same_as is None
    assert second.same_as == f"{first.group}: {first.name}"
    assert first.fingerprint == second.fingerprint


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "lanewise", *arguments], capture_output=True, text=True, check=False)


def test_the_command(tmp_path):
    done = run(
        "prove", "--filter", r"ONNX to TOSA 1\.0: BitShift-28 \(u?int8", "--all", "--json", str(tmp_path / "v.json")
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "8 proven, 0 refuted, 0 unknown"
    assert any("BitShift-28 (int8, int8) -> int8, direction=LEFT: proven" in line for line in lines)
    assert (tmp_path / "v.json").read_text().count('"verdict": "proven"') == 8
    for arguments, code, message in (
        (("--filter", "["), 2, "--filter '['"),
        (("--filter", "nothing at all"), 4, "matches no theorem"),
        (("--record", "--filter", "BitShift"), 2, "it goes without --filter"),
        (("--json", str(tmp_path / "no" / "where.json")), 4, "no such folder"),
        (("a.onnx", "b.onnx", "--filter", "BitShift"), 2, "only the list of theorems takes --filter"),
        (("a.onnx", "b.onnx", "--record", "--all"), 2, "only the list of theorems takes --all and --record"),
        (("a.onnx", "b.onnx", "--workers", "1"), 2, "only the list of theorems takes --workers"),
    ):
        done = run("prove", *arguments)
        assert (done.returncode, done.stdout) == (code, ""), arguments
        assert message in " ".join(done.stderr.replace("│", " ").split()), done.stderr
    assert run("prove", "one.onnx").returncode == 2

"""Targets with known faults are judged as what they are: each verdict, the counts, the smallest failing inputs."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from rich.console import Console

from lanewise.conformance.judging import verdict as v
from lanewise.conformance.judging.questions import cells
from lanewise.conformance.judging.run import Report, conform
from lanewise.conformance.report.terminal import show, words
from lanewise.conformance.targets.names import target_of
from lanewise.language.errors import InvalidError
from tests.conformance.conform.sample_targets import PROGRAM

HERE = "tests.conformance.conform.sample_targets"


def judged(name: str, operators: str = "^BitwiseAnd", types: str = "^uint8$", seconds: float = 20.0) -> Report:
    target = target_of(f"{HERE}:{name}")
    return conform([target], [operators], [types], seconds)


def test_an_implementation_that_is_right_agrees_on_every_pair_and_layout() -> None:
    (finding,) = judged("right").findings
    assert (finding.verdict, finding.compared, finding.differing) == (v.AGREES, 65536, 0)
    assert finding.exhaustive
    assert finding.layouts == {"strided": v.AGREES, "reversed": v.AGREES, "broadcast": v.AGREES}


def test_refusals_of_some_pairs_do_not_hide_wrong_results_of_others() -> None:
    report = judged("wrong_and_picky")
    (finding,) = report.findings
    assert finding.verdict == v.DIFFERS
    assert finding.compared > 500
    assert finding.differing == finding.compared
    refused = sum(failing.rows for failing in finding.failing)
    assert finding.compared + refused + finding.not_run == 65536
    text = "\n".join(line for line, _ in words(finding))
    assert "not that one" in text
    assert "more inputs that fail" in text
    assert "every input there is" not in text


def test_masked_counts_differ_where_the_specification_decides_and_the_rule_is_named() -> None:
    report = judged("masks_counts", "^BitShift-28", "^int8$")
    left, right = report.findings
    assert left.verdict == right.verdict == v.DIFFERS
    # Counts 0 … 7 are right, 248 of 256 others are masked; x = 0 gives 0 whatever the count.
    wrong = sum(
        (x << (n % 8)) % 256 != (x << n if 0 <= n < 8 else 0) % 256 for x in range(256) for n in range(-128, 128)
    )
    assert (left.differing, left.compared) == (wrong, 65536)
    for finding in (left, right):
        assert (finding.rules[0].name, finding.rules[0].explained) == ("count masked by the width", finding.differing)
    smallest = left.elements[0]
    assert smallest.why == "smallest"
    assert (smallest.operands, smallest.expected, smallest.got) == (["1", "-1"], "0", "-128")
    assert (smallest.operand_bits, smallest.got_bits) == (["0000_0001", "1111_1111"], "1000_0000")


def test_where_version_11_is_silent_a_difference_is_counted_apart() -> None:
    left, right = judged("masks_counts", "^BitShift-11", "^uint8$").findings
    for finding in (left, right):
        assert (finding.verdict, finding.differing, finding.reading) == (v.AGREES, 0, "O1")
        assert finding.compared == 256 * 8
        assert finding.open == 256 * 248
        assert finding.open_differing > 0


def test_operators_that_are_not_there_say_so() -> None:
    (finding,) = judged("masks_counts").findings
    assert (finding.verdict, finding.message) == (v.ABSENT, "only BitShift")


@pytest.mark.parametrize(("name", "kind", "verdict"), [
    ("dies_on_seven", "crash", v.CRASHES),
    ("hangs_on_seven", "hang", v.HANGS),
    ("raises_on_seven", "refusal", v.REFUSES),
])  # fmt: skip
def test_one_input_that_fails_is_found_and_the_rest_judged(name: str, kind: str, verdict: str) -> None:
    (finding,) = judged(name, seconds=0.5 if kind == "hang" else 20.0).findings
    assert finding.verdict == verdict
    if kind == "hang":  # each costs the time limit, so the search may stop at a batch
        assert finding.failing[0].kind == "hang"
        return
    (failing,) = finding.failing
    assert (failing.kind, failing.place, failing.rows, failing.operands) == (kind, "specified", 1, ["3", "7"])
    assert (finding.compared, finding.differing, finding.not_run) == (65535, 0, 0)
    if kind == "crash":
        assert "SIGFPE" in failing.message
    if kind == "refusal":
        assert "no sevens" in failing.message


def test_inputs_like_those_that_fail_are_set_aside_and_counted() -> None:
    (finding,) = judged("dies_on_zero").findings
    assert finding.verdict == v.CRASHES
    assert {failing.operands[1] for failing in finding.failing} == {"0"}
    assert finding.compared + finding.not_run + len(finding.failing) == 65536
    assert (finding.not_run, finding.compared) == (254, 65280)


def test_a_result_of_another_type_differs_everywhere() -> None:
    (finding,) = judged("widens").findings
    assert (finding.verdict, finding.differing, finding.values_differing) == (v.DIFFERS, 65536, 0)
    assert finding.message.endswith("int64[65536], not uint8[65536]; all 65,536 values are right")
    assert finding.elements == []


def test_values_that_differ_in_another_type_are_not_hidden_by_it() -> None:
    (finding,) = judged("widens_wrongly").findings
    assert (finding.verdict, finding.differing) == (v.DIFFERS, 65536)
    assert finding.values_differing == 256 + 1  # 7 & y, and the pair (3, 3) whose value uint8 has not
    assert finding.message.endswith("not uint8[65536]; 257 of 65,536 values differ, too")
    assert {element.operands[0] for element in finding.elements} == {"7"}
    assert any("specified" in line for line, _ in words(finding))


def test_a_result_of_another_shape_has_no_values_to_compare() -> None:
    (finding,) = judged("never_of_one_shape").findings
    assert (finding.verdict, finding.values_differing) == (v.DIFFERS, None)
    assert "value" not in finding.message


def test_a_batch_of_another_type_differs_and_is_no_refusal() -> None:
    report = judged("widens_batches")
    (finding,) = report.findings
    assert finding.verdict == v.DIFFERS
    (failing,) = finding.failing
    assert (failing.kind, failing.place, failing.rows) == ("mistyped", "specified", 2)  # the pair and one beside it
    assert (finding.compared, finding.differing) == (65536, 2)
    assert failing.message.startswith("gives int64[2], not uint8[2]")
    assert any("another type or shape on " in line for line, _ in words(finding))


def test_a_single_element_of_another_shape_is_one_finding_and_the_others_are_judged() -> None:
    (finding,) = judged("squeezes").findings
    assert (finding.verdict, finding.compared, finding.differing) == (v.DIFFERS, 65536, 0)
    (failing,) = finding.failing
    assert (failing.kind, failing.rows, failing.message) == ("mistyped", 1, "gives uint8[], not uint8[1]")


def test_layouts_that_are_not_taken_are_told() -> None:
    report = judged("takes_no_strides", types="^u?int8$")
    for finding in report.findings:
        assert (finding.verdict, finding.compared, finding.differing) == (v.AGREES, 65536, 0)
        assert finding.layouts["broadcast"] == v.AGREES
    out = io.StringIO()
    show(report, Console(file=out, width=200))
    told = "BitwiseAnd-18: int8, uint8 (strided, reversed arrays: refuses: ValueError: no strides)"
    assert told in out.getvalue()


def test_what_a_target_prints_is_not_its_answer() -> None:
    (finding,) = judged("prints").findings
    assert finding.verdict == v.AGREES


def test_a_layout_that_is_misread_is_a_difference() -> None:
    (finding,) = judged("needs_contiguous").findings
    assert finding.verdict == v.DIFFERS
    assert finding.differing == 0
    assert finding.layouts["strided"].startswith("differs: ")


def test_a_shape_that_is_not_that_of_both_operands_is_a_difference() -> None:
    (finding,) = judged("forgets_broadcasting").findings
    assert (finding.verdict, finding.differing) == (v.DIFFERS, 0)
    assert finding.layouts["broadcast"] == "differs: gives uint8[1, 64], not uint8[256, 64]"


def test_a_program_in_another_language_needs_the_protocol_only(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    target = target_of(f"program:{sys.executable} {path}")
    report = conform([target], ["^Bitwise(And|Or)"], ["^u?int8$"])
    found = {finding.key: finding for finding in report.findings}
    assert report.targets[target.name] == "sample"
    assert found["onnx BitwiseAnd 18 uint8"].verdict == v.AGREES
    assert found["onnx BitwiseAnd 18 uint8"].compared == 65536
    assert found["onnx BitwiseAnd 18 int8"].verdict == v.REFUSES
    assert found["onnx BitwiseOr 18 uint8"].verdict == v.ABSENT


def test_a_program_that_ends_at_once_or_talks_nonsense_is_not_judged(tmp_path: Path) -> None:
    for code, said in (("raise SystemExit(3)", "ended with 3"), ("print('hello', flush=True); input()", "no JSON")):
        path = tmp_path / "program.py"
        path.write_text(code)
        report = conform([target_of(f"program:{sys.executable} {path}")], ["^BitwiseAnd"], ["^uint8$"])
        assert (report.findings, report.targets) == ([], {})
        assert said in next(iter(report.missing.values()))


ODD = {
    "a shape of many axes": (
        'print(json.dumps({"output": {"type": "uint8", "shape": [1] * 100, "data": "AQ=="}}))',
        v.DIFFERS,
    ),
    "nothing but brackets": ('print("[" * 100_000)', v.CRASHES),
    "a line that nobody asked for": ("print((json.dumps({'output': message['inputs'][0]}) + chr(10)) * 2)", v.CRASHES),
}


@pytest.mark.parametrize("name", ODD)
def test_a_program_that_answers_oddly_is_one_finding(name: str, tmp_path: Path) -> None:
    line, verdict = ODD[name]
    script = tmp_path / "odd.py"
    script.write_text(
        "import json, sys\n"
        "for text in sys.stdin:\n"
        "    message = json.loads(text)\n"
        '    if message["do"] == "hello":\n'
        '        print(json.dumps({"protocol": 1, "version": "x", "layouts": None}), flush=True)\n'
        "    else:\n"
        f"        {line}\n"
        "        sys.stdout.flush()\n"
    )
    report = conform([target_of(f"program:{sys.executable} {script}")], ["^BitwiseAnd"], ["^uint8$"], 10.0)
    assert verdict in {finding.verdict for finding in report.findings}


def test_a_command_that_no_shell_would_read_is_refused() -> None:
    with pytest.raises(InvalidError, match="quote it as a shell wants it"):
        target_of('program:"abc')


def test_the_evaluator_runs_signed_shifts_that_opset_11_does_not_list() -> None:
    report = conform([target_of("onnx")], ["^BitShift-11"], ["^int8$"])
    assert [(f.verdict, report.cells[f.key].listed) for f in report.findings] == [(v.ACCEPTS, False)]


def test_onnx_runtime_dies_of_the_lowest_number_divided_by_minus_one() -> None:
    pytest.importorskip("onnxruntime")
    (finding,) = conform([target_of("onnxruntime")], ["^Div-14"], ["^int32$"]).findings
    dead = [failing for failing in finding.failing if failing.kind == "crash"]
    if not dead:
        pytest.skip("this release of ONNX Runtime survives")
    assert (finding.verdict, dead[0].operands, dead[0].place) == (v.CRASHES, ["-2147483648", "-1"], "open")
    assert finding.differing == 0


def test_numpys_natural_division_is_found_to_round_down() -> None:
    (finding,) = conform([target_of("numpy")], ["^Div"], ["^int8$"]).findings
    assert (finding.rules[0].name, finding.rules[0].explained) == ("floor", finding.differing)
    assert finding.differing > 30000


def test_unknown_targets_are_refused_and_missing_tools_named() -> None:
    with pytest.raises(InvalidError, match="allowed: numpy"):
        target_of("nump")
    with pytest.raises(InvalidError, match="no program"):
        target_of("program:/nowhere/at/all")
    assert "tosa-tools" in str(target_of("tosa", None).missing) or target_of("tosa", None).missing is None


def test_cells_have_keys_of_their_own() -> None:
    for specification in ("onnx", "tosa"):
        keys = [cell.key for cell in cells(specification, unlisted=specification == "onnx")]
        assert len(keys) == len(set(keys)) > 50


def test_the_tosa_reference_model_dies_of_a_division_by_zero() -> None:
    target = target_of("tosa")
    if target.missing is not None:
        pytest.skip(target.missing)
    (finding,) = conform([target], ["^INTDIV"], ["^int32$"]).findings
    assert (finding.verdict, finding.differing) == (v.CRASHES, 0)
    assert {failing.place for failing in finding.failing} == {"outside"}
    assert finding.failing[0].operands[1] == "0"
    assert "SIGFPE" in finding.failing[0].message

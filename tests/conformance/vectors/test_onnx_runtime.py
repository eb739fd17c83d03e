"""ONNX Runtime runs the newest version of every ONNX row of the corpus from its files alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lanewise.conformance.vectors import folder
from lanewise.conformance.vectors.folder import Selection

pytest.importorskip("onnxruntime")

# Besides these, wherever no reading decides, it gives the same or says that it has no such kernel.
KNOWN = {
    r"_16_Where_bool_float\d+_": "differs: 11 of ",  # the sign of a zero is lost
    r"_15_Pow_int32_int64_": "differs: 2 of ",  # integers go through float64
    r"_15_Pow_int64_int32_": "differs: 3 of ",
    r"_15_Pow_int64_int64_": "differs: 5 of ",
    r"_13_Clip_bfloat16_.*_05$": "differs: 2 of ",  # infinities pass where no bound is given
    r"_13_Clip_bfloat16_.*_0[0-4]$": "refuses: ",  # its own rewriting makes a graph that it does not take
}


def test_onnx_runtime_gives_the_same_results(tmp_path: Path):
    from tools.corpus_elsewhere import MISSING, SAME, onnx_runtime

    folder.write(tmp_path / "out", "onnx", Selection(None, "28"))
    sets = sorted(path.parent for path in (tmp_path / "out").rglob("model.onnx"))
    decided = [place for place in sets if not re.search(r"(_O\d+)+$", place.name)]
    answers = {place.name: answer for place, answer in onnx_runtime(decided)}
    assert len(answers) == len(decided) > 500
    assert sum(answer == SAME for answer in answers.values()) > 450
    for name, answer in answers.items():
        known = next((words for pattern, words in KNOWN.items() if re.search(pattern, name)), None)
        if known is None:
            assert answer in (SAME, MISSING), name
        else:
            assert answer.startswith(known), name

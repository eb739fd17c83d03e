"""The TOSA reference model runs the corpus from its files alone, where it is installed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lanewise.conformance.vectors import folder
from lanewise.conformance.vectors.folder import Selection
from lanewise.operators import catalogue
from tools.corpus_elsewhere import BOUNDED, INEXACT, SAME, model_answers

TOOLS = os.environ.get("LANEWISE_TOSA_TOOLS", "")
WORDS = r"\((bool|u?int\d+)(, (bool|u?int\d+|table))*\) -> (bool|u?int\d+)"  # rows without floats
ONE_PRODUCT = "differs: 1 of "  # of 2**31 by itself, shifted by 63: half is added beyond the model's 64 bits (V4)

pytestmark = pytest.mark.skipif(
    not (Path(TOOLS) / "bin" / "tosa_reference_model").is_file(),
    reason="LANEWISE_TOSA_TOOLS names no virtual environment with tosa-tools",
)


@pytest.mark.parametrize("operator", sorted(catalogue.versions_of("tosa")))
def test_the_reference_model_gives_the_same_results(operator: str, tmp_path: Path):
    folder.write(tmp_path / "out", "tosa", Selection(f"^tosa 1.1 {operator} ", None))

"""Work in a copy of the process: results and errors come back, a death is told, and the process itself lives on."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from lanewise.conformance.targets.case import Died
from lanewise.conformance.targets.copies import in_a_copy
from lanewise.conformance.targets.names import target_of
from lanewise.conformance.targets.process import Hung, TargetProcess
from lanewise.conformance.targets.protocol import tensor

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the copies of a process with threads


def test_results_come_back_with_type_shape_and_bits() -> None:
    for made in (
        np.arange(300_000, dtype=np.int64).reshape(2, -1),  # more than a pipe holds
        np.array(True),
        np.array([-0.0, np.nan], np.float16),
        np.array([1.5, -2.0], ml_dtypes.bfloat16),
        np.arange(6, dtype=np.uint8).reshape(2, 3).T,
    ):
        found = in_a_copy(lambda made=made: made)
        assert (found.dtype, found.shape, found.tobytes()) == (made.dtype, made.shape, made.tobytes())


def test_the_work_is_done_elsewhere() -> None:
    seen: list[int] = []
    found = in_a_copy(lambda: np.array([os.getpid(), seen.append(1) or 0]))
    assert found[0] != os.getpid()
    assert seen == []


def test_errors_come_back_with_their_words() -> None:
    class Peculiar(Exception):
        def __init__(self, one: int, two: int) -> None:
            super().__init__(f"{one} and {two}")

    def fail(error: Exception) -> np.ndarray:
        raise error

    with pytest.raises(ValueError, match="no such size"):
        in_a_copy(lambda: fail(ValueError("no such size")))
    with pytest.raises(RuntimeError, match="1 and 2"):
        in_a_copy(lambda: fail(Peculiar(1, 2)))


def test_a_death_is_told_with_what_was_printed_last() -> None:
    def die() -> np.ndarray:
        os.write(2, b"first\nCheck failed: x > 0\n")
        os.kill(os.getpid(), signal.SIGABRT)
        return np.zeros(1)

    with pytest.raises(Died, match="ended by SIGABRT: Check failed: x > 0$"):
        in_a_copy(die)
    with pytest.raises(Died, match="ended with 3$"):
        in_a_copy(lambda: os._exit(3))


def test_a_result_that_cannot_be_sent_ends_the_copy_and_nothing_else() -> None:
    def unsendable() -> np.ndarray:
        return np.array([lambda: None], object)

    with pytest.raises(Died, match="ended with 1"):
        in_a_copy(unsendable)


def test_a_copy_that_hangs_ends_with_its_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "copy"
    monkeypatch.setenv("COPY", str(file))
    one = tensor(np.ones(1, np.uint8))
    question = {"do": "run", "specification": "onnx", "operator": "BitwiseAnd", "version": 18, "attributes": {}}
    target = target_of("tests.conformance.conform.sample_targets:hangs_in_a_copy")
    with TargetProcess(target, 2.0) as process, pytest.raises(Hung):
        process.ask({**question, "output": "uint8", "inputs": [one, one], "layout": "contiguous"})
    copy = Path(f"/proc/{file.read_text()}/stat")
    if not Path("/proc/self/stat").exists():
        pytest.skip("this system has no /proc, where processes are looked up")
    for _ in range(50):
        if not copy.exists() or copy.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.1)
    pytest.fail("the copy lives on")

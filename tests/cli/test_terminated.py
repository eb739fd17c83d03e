"""A command that is asked to end leaves nothing behind, as after Ctrl-C; who uses the library keeps all handlers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from lanewise.cli.terminated import Terminated, cleaning_up
from lanewise.conformance.vectors.whole_folder import whole_folder
from lanewise.formats.files import write_whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes end in another way there")
ENDING = (signal.SIGTERM, signal.SIGHUP)
VECTORS = ("vectors", "out", "--format", "csv", "--filter", "^tosa")
FEW = ("vectors", "out", "--format", "csv", "--filter", "^tosa 1.0 CLZ")
PATIENCE = 120  # seconds, for a loaded machine; nothing is measured


@pytest.fixture(autouse=True)
def _not_ignored() -> Iterator[None]:
    """Who runs tests in the background may ignore these signals, and so would children."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in ENDING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def until(done: Callable[[], Any], running: subprocess.Popen[str] | None = None) -> Any:
    """What `done` gives once that is something."""
    end = time.monotonic() + PATIENCE
    while not (found := done()):
        assert time.monotonic() < end
        assert running is None or running.poll() is None, running.communicate()
        time.sleep(0.02)
    return found


def started(folder: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "lanewise", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, **environment},
    )


def gone(number: int) -> bool:
    """Whether there is no such process, or nothing of it but its exit code."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.parametrize("number", ENDING)
def test_vectors_leave_no_folder(tmp_path: Path, number: signal.Signals):
    with started(tmp_path, *VECTORS) as running:
        until(lambda: list(tmp_path.glob(".out.*.part/*")), running)
        running.send_signal(number)
        out, errors = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out, errors) == (128 + number, "", "lanewise: terminated\n")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path):
    with started(tmp_path, *VECTORS) as running:
        until(lambda: list(tmp_path.glob(".out.*.part/*")), running)
        running.kill()
        running.communicate()
    (left,) = tmp_path.iterdir()
    assert left.name.endswith(".part")
    kept = [tmp_path / name for name in (".out.0123abcd.part.mine", ".other.0123abcd.part", ".out.part")]
    for path in kept:
        path.mkdir()
    with started(tmp_path, *FEW) as running:
        assert "sets" in running.communicate(timeout=PATIENCE)[0]
    assert set(tmp_path.iterdir()) == {tmp_path / "out", *kept}


def test_two_writers_let_each_other_be_and_what_was_moved_away_comes_back(tmp_path: Path):
    out = tmp_path / "out"
    with whole_folder(out) as first:
        (first / "file").write_text("first")
        with whole_folder(out) as second:
            (second / "file").write_text("second")
        assert first.exists()
        assert (out / "file").read_text() == "second"
    assert (out / "file").read_text() == "first"
    out.rename(tmp_path / ".out.0123abcd.old")  # as a writer leaves it that is killed between two moves
    (tmp_path / ".out.0123abcd.part").mkdir()

    def fails() -> None:
        with whole_folder(out):
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        fails()
    assert list(tmp_path.iterdir()) == [out]
    assert (out / "file").read_text() == "first"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked for in /proc")
def test_targets_end_as_well(tmp_path: Path):
    (tmp_path / "mine.py").write_text(
        "import os, pathlib, time\n"
        "def silent(case, x, y):\n"
        "    pathlib.Path('asked').write_text(f'{os.getpid()} ')\n"
        "    time.sleep(600)\n"
    )
    arguments = ("conform", "mine:silent", "--operator", "^BitwiseAnd", "--type", "^int8$", "--timeout", "500")
    with started(tmp_path, *arguments, "--json", "report.json") as running:
        asked = until(lambda: (tmp_path / "asked").exists() and (tmp_path / "asked").read_text().strip(), running)
        running.terminate()
        out, errors = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out, errors) == (143, "", "lanewise: terminated\n")
    until(lambda: gone(int(asked)))
    assert not (tmp_path / "report.json").exists()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked for in /proc")
def test_workers_end_as_well(tmp_path: Path):
    def children(number: int) -> list[int]:
        return [int(one) for one in Path(f"/proc/{number}/task/{number}/children").read_text().split()]

    pytest.importorskip("z3")
    with started(tmp_path, "prove", "--workers", "2") as running:
        found = until(lambda: len(now := children(running.pid)) >= 2 and now, running)
        running.terminate()
        _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 143
    assert "lanewise: terminated\n" in errors  # a worker whose start was cut off may complain beside it
    for child in found:
        until(lambda child=child: gone(child))


def test_a_file_is_not_half_written(tmp_path: Path):
    def write(file: IO[bytes]) -> None:
        file.write(b"half")
        os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(Terminated) as caught, cleaning_up():
        write_whole(tmp_path / "file", write)
    assert caught.value.code == 143
    assert list(tmp_path.iterdir()) == []


def test_handlers_are_those_of_before(tmp_path: Path):
    def mine(number: int, frame: Any) -> None:
        pass

    signal.signal(signal.SIGHUP, mine)
    with cleaning_up():
        assert signal.getsignal(signal.SIGHUP) is mine
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    assert signal.getsignal(signal.SIGHUP) is mine
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    code = "import signal, lanewise, lanewise.cli.main; assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)

"""Work in a copy of this process, so that a library that kills its process costs no new start and loses nothing."""

from __future__ import annotations

import faulthandler
import os
import pickle
import tempfile
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from lanewise.conformance.targets.case import Died
from lanewise.conformance.targets.process import ending

Array = np.ndarray[Any, Any]
KEPT_ERRORS = 4000  # bytes of what was printed last
ERRORS = {kind.__name__: kind for kind in (ValueError, TypeError, MemoryError, RuntimeError)}


def in_a_copy(work: Callable[[], Array]) -> Array:
    """What `work` gives or raises, called in a copy of this process; Died says how the copy ended instead.

    Only a process of one thread can be copied whole: libraries are loaded before, and whatever has
    threads is made inside of `work`.
    """
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            os.close(reading)
            _work_and_end(work, writing, errors.fileno())
        os.close(writing)
        with open(reading, "rb") as answers:
            content = answers.read()
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        if code:
            errors.seek(0)
            printed = errors.read()[-KEPT_ERRORS:].decode(errors="replace").strip().splitlines()
            raise Died(ending(code) + (f": {printed[-1][:200]}" if printed else ""))
    found = pickle.loads(content)
    if isinstance(found, tuple):
        name, text = found
        raise ERRORS.get(name, RuntimeError)(text)
    assert isinstance(found, np.ndarray)
    return found


def _work_and_end(work: Callable[[], Array], writing: int, errors: int) -> NoReturn:
    """The whole life of a copy: it must not go on with what the process itself does next."""
    code = 1
    faulthandler.disable()
    try:
        os.dup2(errors, 2)
        found: Array | tuple[str, str]
        try:
            found = np.array(work(), order="C")
        except Exception as error:  # whatever a library raises is its answer
            found = (type(error).__name__, str(error))
        with open(writing, "wb") as answers:
            pickle.dump(found, answers)
        code = 0
    finally:
        os._exit(code)

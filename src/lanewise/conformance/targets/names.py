"""What a TARGET on the command line stands for."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lanewise.language.errors import InvalidError


class Library(NamedTuple):
    """What a target of a known name needs, and what it is asked about."""

    modules: Mapping[str, str]  # each with what pip installs for it
    specifications: tuple[str, ...]
    knows: str
    tosa_version: str = "0.23.0"
    batch: int = 1 << 20
    slow: bool = False

    @property
    def missing(self) -> str | None:
        """Why it cannot run: the packages that are not installed."""
        lacking = list(dict.fromkeys(pip for module, pip in self.modules.items() if not _installed(module)))
        if not lacking:
            return None
        noun = "package is" if len(lacking) == 1 else "packages are"
        return f"the {noun} not installed; pip install {' '.join(lacking)}"


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # what the module is a part of
        return False


BOTH = ("onnx", "tosa")
NEWEST, OWN, EVERY = "newest", "own", "every"  # versions of operators that a target can tell apart
IREE = {"iree.compiler": "iree-base-compiler", "iree.runtime": "iree-base-runtime", "xdsl": "xdsl"}
LIBRARIES = {
    "numpy": Library({"numpy": "numpy"}, BOTH, NEWEST),
    "onnx": Library({"onnx": "onnx"}, ("onnx",), EVERY),
    "onnxruntime": Library({"onnxruntime": "onnxruntime"}, ("onnx",), EVERY),
    "torch": Library({"torch": "torch"}, BOTH, NEWEST),
    "jax": Library({"jax": "jax"}, BOTH, NEWEST, slow=True),
    "litert": Library({"ai_edge_litert": "ai-edge-litert"}, BOTH, NEWEST),
    "iree": Library(IREE, ("tosa",), OWN, tosa_version="1.1", batch=8192, slow=True),
}
TOOLS = "LANEWISE_TOSA_TOOLS"
WORKER = (sys.executable, "-m", "lanewise.conformance.targets.worker")  # what a library's name follows
ALLOWED = f"{', '.join(LIBRARIES)}, tosa, module:function, program:COMMAND or a program's path"


@dataclass(frozen=True)
class Target:
    """A target by name: how it is started and what it is asked."""

    name: str
    command: tuple[str, ...]
    specifications: tuple[str, ...]
    knows: str = NEWEST  # OWN: one version of TOSA; EVERY: it sees which version is asked about
    tosa_version: str = "0.23.0"
    versioned: bool = False  # asked about rows that the version does not list as well
    missing: str | None = None  # why it cannot run at all
    environment: Mapping[str, str] = field(default_factory=dict)
    batch: int = 1 << 20  # elements at most in one request
    slow: bool = False  # compiles for each question, so that it is asked first, beside the others


def target_of(text: str, tosa_tools: Path | None = None) -> Target:
    """A library by name, `tosa`, `module:function`, `program:COMMAND`, or a program's path."""
    if text in LIBRARIES:
        library = LIBRARIES[text]
        return Target(
            text,
            (*WORKER, text),
            library.specifications,
            library.knows,
            tosa_version=library.tosa_version,
            versioned=library.knows == EVERY,
            missing=library.missing,
            batch=library.batch,
            slow=library.slow,
        )
    if text == "tosa":
        return _tosa(tosa_tools)
    command = text.removeprefix("program:")
    if command != text or "/" in text or os.sep in text:
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise InvalidError(f"target {text!r}: {error}; quote it as a shell wants it") from None
        if not words or shutil.which(words[0]) is None:
            raise InvalidError(f"target {text!r}: there is no program {words[0] if words else ''!r} that can be run")
        return Target(text, tuple(words), BOTH, EVERY, versioned=True)
    if re.fullmatch(r"[\w.]+:\w+", text):
        path = os.pathsep.join(filter(None, (os.getcwd(), os.environ.get("PYTHONPATH"))))
        return Target(text, (*WORKER, text), BOTH, EVERY, environment={"PYTHONPATH": path})
    raise InvalidError(f"target {text!r}; allowed: {ALLOWED}")


def _tosa(folder: Path | None) -> Target:
    """The TOSA reference model of a virtual environment with tosa-tools."""
    given = folder or (Path(os.environ[TOOLS]) if os.environ.get(TOOLS) else None)
    program = given / "bin" / "tosa_reference_model" if given else None
    missing = None
    if program is None:
        missing = f"say where tosa-tools is: --tosa-tools DIR or {TOOLS}=DIR, a virtual environment that has it"
    elif not program.is_file():
        missing = f"{program}: no such file; {given} is to be a virtual environment with tosa-tools"
    command = (*WORKER, "tosa", str(given))
    return Target("tosa", command, ("tosa",), OWN, tosa_version="1.1", missing=missing, batch=1 << 16, slow=True)

"""Asks one target about one cell and says what came of it."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from lanewise.conformance.detective.detect import detect
from lanewise.conformance.judging import verdict as v
from lanewise.conformance.judging.inputs import stored, words
from lanewise.conformance.judging.narrow import Absent, Answers, Failure, Mistyped, Narrowing, Refused
from lanewise.conformance.judging.subject import Subject
from lanewise.conformance.judging.telling import element, telling, texts
from lanewise.conformance.targets.process import Crashed, Hung, TargetProcess
from lanewise.conformance.targets.protocol import array_of
from lanewise.engines.storage import dtype_of
from lanewise.language.errors import InvalidError

Array = np.ndarray[Any, Any]
LAYOUT_ROWS = 4096
MOST_SILENT = 2  # single inputs without an answer in time, after which no others are tried
KINDS = {"crash": v.CRASHES, "hang": v.HANGS, "mistyped": v.DIFFERS}


def judge(process: TargetProcess, subject: Subject) -> v.Finding:
    """The finding; never raises for what a target does."""
    cell = subject.cell
    finding = v.Finding(process.target.name, cell.key, v.AGREES)
    asked = _Asked(process, subject)
    if not cell.listed:
        return _unlisted(finding, asked, len(subject.columns[0]))
    outside = subject.outside
    finding.reading, silent = subject.open
    specified = np.flatnonzero(~outside & ~silent)
    try:
        alone = asked.probe(specified)
    except Absent as error:
        return _ended(finding, v.ABSENT, error)
    except Mistyped as error:
        finding.compared = finding.differing = len(specified)
        return _ended(finding, v.DIFFERS, f"{error}{_values(finding, asked, specified)}")
    except Refused as error:
        return _ended(finding, v.REFUSES, error)
    except Hung as error:
        finding.not_run = len(subject.columns[0])
        return _ended(finding, v.HANGS, f"{error}, to single inputs as well")
    groups = {"specified": specified, "open": np.flatnonzero(silent), "outside": np.flatnonzero(outside)}
    narrowing = Narrowing(asked.rows, _keys(subject))
    answers = {place: narrowing.all(rows) if len(rows) else Answers() for place, rows in groups.items()}
    main = answers["specified"]
    if alone is not None and not any(failure.kind == "mistyped" for failure in main.failures):
        main.failures.append(alone)
    _failures(finding, subject, answers)
    finding.outside = len(groups["outside"])
    finding.exhaustive = sum(sort.width for _, sort in cell.free) <= 16
    decided, left_open = decided_and_open(subject, main, answers["open"])
    finding.compared, finding.differing, finding.elements, finding.rules = compared(subject, decided)
    mistyped = sum(
        len(failure.rows) for failure in main.failures if failure.kind == "mistyped" and failure is not alone
    )
    finding.compared += mistyped
    finding.differing += mistyped
    if main.found is not None:
        _layouts(finding, asked, main)
    apart = compared(subject, left_open, beside=decided)
    finding.open, finding.open_differing, finding.open_elements, finding.open_rules = apart
    finding.picture = _picture(subject, answers.values())
    finding.verdict = _verdict(finding)
    return finding


def decided_and_open(subject: Subject, main: Answers, silent: Answers) -> tuple[Answers, Answers]:
    """Results that the specification decides, and those that it leaves open.

    `main` and `silent` are the results of specified and of open inputs. Silence about subnormal numbers leaves
    a choice between few results: any other one is as wrong as for a specified input, and counted with these.
    """
    if silent.found is None or silent.answered is None:
        return main, silent
    allowed = subject.left_open(silent.answered, silent.found)
    if allowed.all():
        return main, silent
    wrong = silent.found[~allowed], silent.answered[~allowed]
    if main.found is not None and main.answered is not None:
        wrong = np.concatenate([main.found, wrong[0]]), np.concatenate([main.answered, wrong[1]])
    return Answers(*wrong), Answers(silent.found[allowed], silent.answered[allowed])


def compared(
    subject: Subject, answers: Answers, beside: Answers | None = None
) -> tuple[int, int, list[v.Element], list[v.Rule]]:
    """How many results there are, how many of them differ, telling ones of these, and what explains them.

    An explanation must not contradict what is right in the answers `beside` them.
    """
    if answers.found is None or answers.answered is None:
        return 0, 0, [], []
    differs = subject.differs(answers.found, subject.expected[answers.answered])
    count = int(differs.sum())
    if not count:
        return len(differs), 0, [], []
    rows, found = answers.answered, answers.found

    def explained() -> tuple[list[v.Element], list[v.Rule]]:
        shown = telling(subject, rows[differs], found[differs])
        elements = [element(subject, row, got, why) for row, got, why in shown]
        return elements, detect(subject, rows, found, beside)

    others = (None, None) if beside is None else (beside.answered, beside.found)
    return len(differs), count, *subject.once(explained, rows, found, *others)


class _Asked:
    """Requests about one cell."""

    def __init__(self, process: TargetProcess, subject: Subject) -> None:
        self.process = process
        self.subject = subject
        self.output = subject.cell.row.output

    def run(self, given: list[Array], layout: str = "contiguous") -> Array:
        found, sort = self.answer(given, layout)
        shape = np.broadcast_shapes(*(column.shape for column in given))
        if (sort, found.shape) != (self.output.name, shape):
            raise Mistyped(f"gives {sort}{list(found.shape)}, not {self.output.name}{list(shape)}")
        return found

    def answer(self, given: list[Array], layout: str = "contiguous") -> tuple[Array, str]:
        """A tensor of whatever type and shape, and the type's name."""
        reply = self.process.ask(self.subject.request(given, layout))
        if "absent" in reply:
            raise Absent(str(reply["absent"])[:500])
        if "refuses" in reply:
            raise Refused(str(reply["refuses"])[:500])
        try:
            found = array_of(reply.get("output"))
        except InvalidError as error:
            raise Mistyped(f"its answer is no tensor: {error}") from None
        return found, reply["output"]["type"]

    def rows(self, rows: Array, layout: str = "contiguous") -> Array:
        return np.concatenate([self.run(given, layout) for given in self._batches(rows)])

    def values(self, rows: Array) -> Array | None:
        """The results of rows in whatever one type they have; None where there are none, or not one a row."""
        try:
            found = [self.answer(given) for given in self._batches(rows)]
        except (Absent, Refused, Mistyped, Crashed, Hung):
            return None
        if len({sort for _, sort in found}) != 1 or any(array.ndim != 1 for array, _ in found):
            return None
        together = np.concatenate([array for array, _ in found])
        return together if len(together) == len(rows) else None

    def _batches(self, rows: Array) -> list[list[Array]]:
        """The operands of rows, as many at a time as the target takes."""
        most = self.process.target.batch
        parts = [rows[start : start + most] for start in range(0, len(rows), most)]
        return [[column[part] for column in self.subject.columns] for part in parts]

    def probe(self, rows: Array) -> Failure | None:
        """Raises what the target answers to any single element; a death, or one silence, is looked into later.

        What has another type or shape alone, but not among others, is given back.
        """
        answer: Exception | None = None
        mistyped: Failure | None = None
        hangs = 0
        for row in (len(rows) // 2, len(rows) - 1, 0) if len(rows) else ():
            single = rows[row : row + 1]
            try:
                self.rows(single)
                return mistyped
            except Crashed:
                return mistyped
            except Hung as error:
                hangs += 1
                if hangs == MOST_SILENT:
                    raise
                answer = answer or error
            except Mistyped as error:
                mistyped = mistyped or Failure("mistyped", single, str(error))
            except Refused as error:
                answer = error
        if mistyped is not None:
            with contextlib.suppress(Crashed, Hung, Refused, Absent):
                self.rows(rows)
            return mistyped
        if answer is not None:
            raise answer
        return None


def _keys(subject: Subject) -> Array:
    """The patterns of all operands: operands × rows."""
    pairs = zip(subject.columns, subject.cell.free, strict=True)
    return np.stack([words(column, sort) for column, (_, sort) in pairs])


def _unlisted(finding: v.Finding, asked: _Asked, size: int) -> v.Finding:
    """A row that the version does not have: a refusal is right."""
    try:
        asked.rows(np.arange(size))
    except Mistyped as error:
        return _ended(finding, v.ACCEPTS, f"computes {asked.subject.cell.type_text} in its own way: {error}")
    except Refused as error:
        return _ended(finding, v.AGREES, f"refuses it, as it must: {error}")
    except Absent as error:
        return _ended(finding, v.ABSENT, error)
    except Crashed as error:
        return _ended(finding, v.CRASHES, error)
    except Hung as error:
        return _ended(finding, v.HANGS, error)
    release = asked.subject.cell.record.label
    return _ended(finding, v.ACCEPTS, f"computes {asked.subject.cell.type_text}, which {release} does not list")


def _values(finding: v.Finding, asked: _Asked, rows: Array) -> str:
    """What is to be said of the values where all results have another type; counts and shows those that differ.

    A value that the specified type does not have differs, and is not shown: it has no bits there.
    """
    found, dtype = asked.values(rows), dtype_of(asked.output)
    if found is None:
        return ""
    with np.errstate(all="ignore"):
        typed = found.astype(dtype)
        back = typed.astype(found.dtype)
        fits = (back == found) | ((typed != typed) & (found != found))  # noqa: PLR0124  # NaN stays NaN
    _, wrong, finding.elements, finding.rules = compared(asked.subject, Answers(typed[fits], rows[fits]))
    finding.values_differing = wrong + int((~fits).sum())
    if not finding.values_differing:
        return f"; all {len(rows):,} values are right"
    return f"; {finding.values_differing:,} of {len(rows):,} values differ, too"


def _ended(finding: v.Finding, verdict: str, why: object) -> v.Finding:
    finding.verdict, finding.message = verdict, str(why)
    return finding


def _failures(finding: v.Finding, subject: Subject, answers: dict[str, Answers]) -> None:
    for place, found in answers.items():
        finding.not_run += found.aside
        for failure in found.failures:
            if failure.kind in ("refusal", "mistyped") and place == "outside":
                continue  # an error is a good answer to unpredictable input, and no result is a wrong one
            operands, bits = texts(subject, int(failure.rows[0]))
            finding.failing.append(v.Failing(failure.kind, place, len(failure.rows), operands, bits, failure.message))


def _layouts(finding: v.Finding, asked: _Asked, main: Answers) -> None:
    """The same rows in other layouts are to give the same bits; a column beside a row is to give all pairs."""
    assert main.answered is not None and main.found is not None
    rows, want = main.answered[:LAYOUT_ROWS], main.found[:LAYOUT_ROWS]
    named = asked.process.about.get("layouts")
    for layout in (one for one in (named if isinstance(named, list) else ()) if isinstance(one, str)):
        finding.layouts[layout] = _same(asked, lambda name=layout: asked.rows(rows, name), want)
    subject = asked.subject
    alike = len(subject.columns) == 2 and subject.cell.stretches
    if alike and not finding.differing and not finding.failing:
        grid = _grid(subject)
        if grid is not None:
            finding.layouts["broadcast"] = _same(asked, lambda: asked.run(grid), subject.specified(grid)[0])


def _grid(subject: Subject) -> list[Array] | None:
    """A row of first operands and a column of second ones, all pairs of which the specification decides."""
    first, second = (np.unique(words(c, s)) for c, (_, s) in zip(subject.columns, subject.cell.free, strict=True))
    (_, one), (_, two) = subject.cell.free
    pick = np.random.default_rng(1).permutation
    a = stored(first[pick(len(first))[:64]], one)[None, :]
    b = stored(second[pick(len(second))[:256]], two)[:, None]
    flat = Subject(subject.cell, [np.broadcast_to(x, (len(b), a.shape[1])).ravel() for x in (a, b)])
    good = ~(flat.outside | flat.open[1]).reshape(len(b), -1)
    most = good.sum(0) * 2 >= good.sum(0).max(initial=0)  # one operand that fits few others would leave none
    kept = good[:, most].all(1)
    return [a[:, most], b[kept]] if kept.any() else None


def _same(asked: _Asked, run: Any, want: Array) -> str:
    try:
        found = run()
    except Mistyped as error:
        return f"differs: {error}"
    except (Refused, Absent) as error:
        return f"refuses: {error}"
    except Crashed as error:
        return f"crashes: {error}"
    except Hung as error:
        return f"hangs: {error}"
    if found.shape != want.shape:
        return f"differs: its shape is {list(found.shape)}, not {list(want.shape)}"
    count = int(asked.subject.differs(found.ravel(), want.ravel()).sum())
    return f"differs: {count} of {want.size} elements" if count else v.AGREES


def _picture(subject: Subject, answers: Any) -> Any:
    """What the target gives for all pairs of bytes, where it was asked: results, and a mask."""
    sorts = [sort for _, sort in subject.cell.free]
    if [sort.width for sort in sorts] != [8, 8] or subject.cell.row.output.width > 8:
        return None
    result = np.zeros(65536, np.uint8)
    known = np.zeros(65536, np.bool_)
    for found in answers:
        if found.found is not None:
            result[found.answered] = words(found.found, subject.cell.row.output).astype(np.uint8)
            known[found.answered] = True
    return result, known


def _verdict(finding: v.Finding) -> str:
    kinds = {failing.kind for failing in finding.failing}
    for kind, name in KINDS.items():
        if kind in kinds or any(text.startswith(name) for text in finding.layouts.values()):
            return name
    if finding.differing or any(text.startswith(v.DIFFERS) for text in finding.layouts.values()):
        return v.DIFFERS
    if any(failing.kind == "refusal" and failing.place == "specified" for failing in finding.failing):
        return v.REFUSES
    return v.AGREES

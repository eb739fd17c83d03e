"""Runs a batch on a target; where it dies, hangs or refuses, halves the batch until the inputs that do it are found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lanewise.conformance.targets.process import Crashed, Hung

Array = np.ndarray[Any, Any]
MOST_FINDINGS = 6  # smallest failing batches that are looked for
MOST_HANGS = 8  # of one cell; each costs the whole time limit
MOST_EFFORT = 400  # batches of a group that are run after MOST_FINDINGS
CRASH_COST = 25  # a process that died is started again


class Refused(Exception):
    """The target answered that it does not compute this."""


class Absent(Exception):
    """The target has no such operator."""


class Mistyped(Exception):
    """The result has another type or shape than the specification says."""


@dataclass
class Failure:
    """A smallest batch of rows on which a target failed: `kind` is "crash", "hang", "mistyped" or "refusal"."""

    kind: str
    rows: Array
    message: str


@dataclass
class Answers:
    """Results where there are some; `aside` are rows without a result that are in no failure."""

    found: Array | None = None
    answered: Array | None = None
    failures: list[Failure] = field(default_factory=list)
    aside: int = 0


Run = Callable[[Array], Array]  # rows → results


class Narrowing:
    """Batches of rows on one target. `keys` tell rows by their operands: an array of operands × rows.

    The limit on hangs is one for all batches together.
    """

    def __init__(self, run: Run, keys: Array) -> None:
        self.run = run
        self.keys = keys
        self.hangs = 0
        self.known = np.zeros(keys.shape[1], np.bool_)
        self.results: Array | None = None

    def all(self, rows: Array) -> Answers:
        """The results of all rows but those that fail or look like failing ones."""
        answers, left = Answers(), rows
        while len(left):
            failed = self._try(left)
            if failed is None:
                break
            smallest = self._smallest(failed)
            answers.failures.append(smallest)
            left = left[~np.isin(left, smallest.rows)]
            if len(answers.failures) >= MOST_FINDINGS or self.hangs >= MOST_HANGS:
                self._pieces(answers, left[~self.known[left]])
                break
            left = left[~self._like_failures(answers.failures, left)]
        failing = [failure.rows for failure in answers.failures]
        good = rows[~np.isin(rows, np.concatenate(failing))] if failing else rows
        answered = good[self.known[good]]
        answers.aside = len(good) - len(answered)
        if len(answered) and self.results is not None:
            answers.found, answers.answered = self.results[answered], answered
        return answers

    def _pieces(self, answers: Answers, rows: Array) -> None:
        """Halves what fails, one part to its end before the next, so that a bounded effort gives results."""
        waiting, effort = [rows], MOST_EFFORT
        while waiting and effort > 0 and self.hangs < MOST_HANGS:
            piece = waiting.pop()
            failed = self._try(piece) if len(piece) else None
            effort -= CRASH_COST if failed is not None and failed.kind == "crash" else 1
            if failed is not None and len(piece) == 1:
                answers.failures.append(failed)
            elif failed is not None:
                middle = len(piece) // 2
                waiting += [piece[middle:], piece[:middle]]

    def _try(self, rows: Array) -> Failure | None:
        """How the rows fail together; their results are kept otherwise."""
        try:
            found = self.run(rows)
        except Crashed as error:
            return Failure("crash", rows, str(error))
        except Hung as error:
            self.hangs += 1
            return Failure("hang", rows, str(error))
        except Mistyped as error:
            return Failure("mistyped", rows, str(error))
        except (Refused, Absent) as error:
            return Failure("refusal", rows, str(error))
        if self.results is None:
            self.results = np.zeros(self.keys.shape[1], found.dtype)
        self.results[rows] = found
        self.known[rows] = True
        return None

    def _smallest(self, failure: Failure) -> Failure:
        """Halves a failing batch as long as one half fails."""
        while len(failure.rows) > 1 and self.hangs < MOST_HANGS:
            middle = len(failure.rows) // 2
            for half in (failure.rows[:middle], failure.rows[middle:]):
                failed = self._try(half)
                if failed is not None:
                    failure = failed
                    break
            else:
                return failure  # only the rows together fail
        return failure

    def _like_failures(self, failures: list[Failure], rows: Array) -> Array:
        """Rows that share an operand with two failures: they are taken to fail as well, and not run."""
        alike = np.zeros(len(rows), np.bool_)
        singles = [failure.rows[0] for failure in failures if len(failure.rows) == 1]
        if len(self.keys) == 1:
            return alike
        for operand in self.keys:
            values, counts = np.unique(operand[singles], return_counts=True)
            alike |= np.isin(operand[rows], values[counts >= 2])
        return alike

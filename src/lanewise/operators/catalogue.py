"""Every operator record, found by specification, name and version; nothing is found by approximation."""

from __future__ import annotations

import copyreg
import difflib
import pickle
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from lanewise.language.errors import InvalidError, UnsupportedError
from lanewise.language.operator import Operator, Row, profiles_of
from lanewise.language.sorts import AnySort
from lanewise.operators import onnx, tosa
from lanewise.operators.onnx.rows import NEWEST_OPSET
from lanewise.operators.tosa.rows import LEVELS, PROFILES, VERSIONS, Level

SPECIFICATIONS = ("onnx", "tosa")


@cache
def versions_of(specification: str) -> dict[str, tuple[Operator, ...]]:
    """Operator name → its records, oldest first, in the specification's order."""
    source: Sequence[Any] = onnx.OPERATORS if specification == "onnx" else tosa.OPERATORS
    found: dict[str, list[Operator]] = {}
    for function in source:
        for record in function.records:
            found.setdefault(record.name, []).append(record)
    return {
        name: tuple(sorted(records, key=lambda record: _order(record.release.since))) for name, records in found.items()
    }


def _named(specification: str, name: str, since: int | str) -> Operator:
    return next(record for record in versions_of(specification)[name] if record.release.since == since)


def _pickled(record: Operator) -> tuple[Any, ...]:
    """A record is code, so what is stored is where to find it."""
    if record not in versions_of(record.release.specification).get(record.name, ()):
        raise pickle.PicklingError(f"{record.label}: not in the catalogue, so nobody could find it again")
    return _named, (record.release.specification, record.name, record.release.since)


copyreg.pickle(Operator, _pickled)


def _order(since: int | str) -> tuple[int, ...]:
    return (since,) if isinstance(since, int) else tuple(map(int, since.split(".")))


def find(specification: str, name: str, version: int | str) -> Operator:
    """The record in force at that version (ONNX: an opset; TOSA: a release such as "0.23.0", exactly)."""
    records = versions_of(specification).get(name)
    if specification == "tosa":
        version = known_version(version)
    if records is None:
        close = difflib.get_close_matches(name, versions_of(specification), 3)
        hint = f"; did you mean {' or '.join(close)}?" if close else "; 'lanewise ops' lists those it has"
        raise UnsupportedError(f"{name}: lanewise has no such {specification.upper()} operator{hint}")
    if specification == "tosa":
        for record in records:
            if record.release.since == version:
                return record
        listed = ", ".join(str(record.release.since) for record in records)
        raise UnsupportedError(f"{name}: lanewise has it at TOSA {listed}, not at {version}")
    return _find_onnx(name, records, version)


def named(name: str, version: int | str | None = None) -> Operator:
    """The record of an operator whose name says which specification it is of, at a version or at the default one."""
    specification = specification_of(name)
    if version is None:
        version = default_version(specification)
    elif specification == "onnx" and isinstance(version, str) and version.isdecimal():
        version = int(version)
    return find(specification, name, version)


def specification_of(name: str) -> str:
    """The specification that has an operator of this name."""
    for specification in SPECIFICATIONS:
        if name in versions_of(specification):
            return specification
    folded = {_folded(known): known for specification in SPECIFICATIONS for known in versions_of(specification)}
    close = difflib.get_close_matches(_folded(name), folded, 3)
    hint = f"did you mean {' or '.join(folded[match] for match in close)}?" if close else "see 'lanewise ops'"
    raise UnsupportedError(f"{name}: no such operator; {hint}")


def _folded(name: str) -> str:
    return name.lower().replace("_", "")


def in_force(records: Sequence[Operator], version: str) -> list[Operator]:
    """Of one operator's records those in force at an ONNX opset ("13") or a TOSA release ("1.0"): one, or none."""
    if version.isdecimal():
        opset = known_opset(int(version))
        older = [one for one in records if isinstance(one.release.since, int) and one.release.since <= opset]
        return older[-1:]
    wanted = known_version(version)
    return [record for record in records if record.release.since == wanted]


def _find_onnx(name: str, records: tuple[Operator, ...], opset: int | str) -> Operator:
    known_opset(opset)
    candidates = [record for record in records if record.release.since <= opset]  # type: ignore[operator]
    if not candidates:
        since = ", ".join(str(record.release.since) for record in records)
        raise InvalidError(f"{name}: not in ONNX opset {opset}; its versions are {since}")
    return candidates[-1]


def row_of(
    operator: Operator, types: Sequence[AnySort | None], attributes: Mapping[str, Any], profile: str | None = None
) -> Row:
    """The operator's row for these types; where there is none, the error says which version has one."""
    try:
        return operator.row(types, attributes, profile)
    except InvalidError as error:
        others = [
            str(record.release.since)
            for record in versions_of(operator.release.specification)[operator.name]
            if record is not operator and _accepts(record, types, attributes)
        ]
        if not others or _accepts(operator, types, attributes):  # or only the profile lacks the row
            raise
        kind = "opset" if operator.release.specification == "onnx" else "version"
        raise InvalidError(f"{error}. It is allowed at {kind} {', '.join(others)}") from None


def _accepts(record: Operator, types: Sequence[AnySort | None], attributes: Mapping[str, Any]) -> bool:
    try:
        record.row(types, attributes)
    except InvalidError:
        return False
    return True


def default_version(specification: str) -> int | str:
    """The version that is meant where none is said."""
    return NEWEST_OPSET if specification == "onnx" else VERSIONS[0]


def known_opset(opset: int | str) -> int:
    if not isinstance(opset, int) or isinstance(opset, bool) or opset < 1:
        raise InvalidError(f"ONNX opset is {opset!r}; allowed: whole numbers from 1 to {NEWEST_OPSET}")
    if opset > NEWEST_OPSET:
        raise UnsupportedError(f"ONNX opset {opset}: lanewise knows opsets up to {NEWEST_OPSET}")
    return opset


def known_version(version: int | str) -> str:
    """The version as records name it; 1.0.0 to 1.0.2 share theirs (reading V1)."""
    if version in ("1.0.0", "1.0.1", "1.0.2", "1.1.0"):
        return str(version)[:3]
    if version not in VERSIONS:
        raise UnsupportedError(f"TOSA version {version}: lanewise knows {', '.join(VERSIONS)}")
    return str(version)


def known_level(specification: str, version: str, level: str) -> Level:
    """What a level of a TOSA version allows."""
    levels = LEVELS[version] if specification == "tosa" else {}
    if level not in levels:
        listed = ", ".join(levels) or "no levels"
        raise InvalidError(f"level is {level!r}; {specification.upper()} {version} has {listed}")
    return levels[level]


def known_profile(version: str, profile: str) -> str:
    """The profile itself, or several joined by commas or plus signs, if that version has all of them."""
    if not isinstance(profile, str) or not set(profiles_of(profile)) <= set(PROFILES[version]):
        raise InvalidError(f"profile is {profile!r}; TOSA {version} has {', '.join(PROFILES[version])}")
    if all(name.startswith("EXT-") for name in profiles_of(profile)):
        bases = [name for name in PROFILES[version] if not name.startswith("EXT-")]
        raise InvalidError(
            f"profile is {profile!r}, no profile but extensions; they come on top of one: "
            f"{' or '.join(f'{name},{profile}' for name in bases)}"
        )
    return profile

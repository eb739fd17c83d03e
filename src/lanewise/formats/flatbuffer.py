"""FlatBuffers through field tables: one table drives reading and writing.

A schema is a mapping from a table's name to its fields in slot order. Reading checks every offset,
length and string against the buffer, and the sum of what is decoded against its size, so that a
small file cannot unfold into a large structure. A decoded table is a dict; absent fields have their
defaults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import flatbuffers
from flatbuffers import encode, number_types, packer

from lanewise.language.errors import InvalidError

BROKEN = "broken flatbuffer"  # in every message about a file that is no whole flatbuffer


class Field(NamedTuple):
    """`kind`: "bool", "uint8", "int32", "uint32", "uint64", "float", "string", a table's name, or a list
    of one of them in brackets; "union:NAME" takes two slots. "bytes" is a vector of bytes."""

    name: str
    kind: str
    default: Any = None


Schema = Mapping[str, Sequence[Field]]
Unions = Mapping[str, Sequence[str]]  # union → its members, counted from 1

_SCALARS: dict[str, tuple[Any, Any]] = {
    "bool": (number_types.BoolFlags, packer.boolean),
    "uint8": (number_types.Uint8Flags, packer.uint8),
    "int32": (number_types.Int32Flags, packer.int32),
    "uint32": (number_types.Uint32Flags, packer.uint32),
    "uint64": (number_types.Uint64Flags, packer.uint64),
    "float": (number_types.Float32Flags, packer.float32),
}


class Reader:
    """Reads one buffer; every refusal names the file and the byte."""

    def __init__(self, content: bytes, schema: Schema, unions: Unions, name: str) -> None:
        self.content = content
        self.schema = schema
        self.unions = unions
        self.name = name
        self.budget = 4 * len(content) + 4096  # bytes that may be decoded; shared parts count each time

    def root(self, table: str) -> dict[str, Any]:
        return self._table(self._reference(0), table)

    def _refuse(self, what: str, at: int) -> InvalidError:
        return InvalidError(f"{self.name}: {BROKEN}: {what} (byte {at} of {len(self.content)})")

    def _get(self, form: Any, size: int, at: int) -> Any:
        if not 0 <= at <= len(self.content) - size:
            raise self._refuse("a field lies outside the file", at)
        self.budget -= size
        if self.budget < 0:
            raise self._refuse("its parts are shared so often that they unfold beyond the file's size", at)
        return encode.Get(form, self.content, at)

    def _reference(self, at: int) -> int:
        offset = self._get(packer.uoffset, 4, at)
        target = at + int(offset)
        if offset == 0 or target > len(self.content) - 4:
            raise self._refuse("an offset leads outside the file", at)
        return target

    def _table(self, at: int, table: str) -> dict[str, Any]:
        vtable = at - int(self._get(packer.soffset, 4, at))
        size = int(self._get(packer.uint16, 2, vtable))
        if size < 4 or size % 2 or vtable + size > len(self.content):
            raise self._refuse(f"the field list of {table} has {size} bytes", vtable)
        result: dict[str, Any] = {}
        slot = 0
        for field in self.schema[table]:
            where = self._slot(at, vtable, size, slot)
            if field.kind.startswith("union:"):
                member = self._get(packer.uint8, 1, where) if where else 0
                where = self._slot(at, vtable, size, slot + 1)
                result[field.name] = self._union(field, int(member), where, at)
                slot += 2
            else:
                result[field.name] = field.default if where == 0 else self._field(where, field.kind)
                slot += 1
        return result

    def _slot(self, at: int, vtable: int, size: int, slot: int) -> int:
        """Where a field lies; 0 if the table does not have it."""
        entry = 4 + 2 * slot
        offset = int(self._get(packer.uint16, 2, vtable + entry)) if entry + 2 <= size else 0
        return at + offset if offset else 0

    def _union(self, field: Field, member: int, where: int, at: int) -> tuple[str, dict[str, Any]] | None:
        members = self.unions[field.kind.removeprefix("union:")]
        if member == 0 or where == 0:
            return None
        if member > len(members):
            raise self._refuse(f"{field.name} has the unknown kind {member}", at)
        name = members[member - 1]
        return name, self._table(self._reference(where), name)

    def _field(self, at: int, kind: str) -> Any:
        if kind in _SCALARS:
            flags, form = _SCALARS[kind]
            value = self._get(form, flags.bytewidth, at)
            return bool(value) if kind == "bool" else value
        if kind == "string":
            return self._string(self._reference(at))
        if kind == "bytes":
            start, length = self._vector(self._reference(at), 1)
            return self.content[start : start + length]
        if kind.startswith("["):
            return self._list(self._reference(at), kind[1:-1])
        return self._table(self._reference(at), kind)

    def _vector(self, at: int, width: int) -> tuple[int, int]:
        length = int(self._get(packer.uint32, 4, at))
        if length * width > len(self.content) - at - 4:
            raise self._refuse(f"a list of {length} elements reaches past the end", at)
        self.budget -= length * width
        if self.budget < 0:
            raise self._refuse("its parts are shared so often that they unfold beyond the file's size", at)
        return at + 4, length

    def _string(self, at: int) -> str:
        start, length = self._vector(at, 1)
        try:
            return self.content[start : start + length].decode("utf-8")
        except UnicodeDecodeError:
            raise self._refuse("a name is not UTF-8", at) from None

    def _list(self, at: int, kind: str) -> list[Any]:
        width = _SCALARS[kind][0].bytewidth if kind in _SCALARS else 4
        start, length = self._vector(at, width)
        if kind in _SCALARS:
            return [self._field(start + k * width, kind) for k in range(length)]
        places = [self._reference(start + 4 * k) for k in range(length)]
        if kind == "string":
            return [self._string(place) for place in places]
        return [self._table(place, kind) for place in places]


class Writer:
    """Writes one root table; fields equal to their default are left out, as the format has it."""

    def __init__(self, schema: Schema, unions: Unions) -> None:
        self.schema = schema
        self.unions = unions
        self.builder = flatbuffers.Builder(1024)

    def root(self, table: str, value: Mapping[str, Any], identifier: bytes | None = None) -> bytes:
        self.builder.Finish(self._table(table, value), file_identifier=identifier)
        return bytes(self.builder.Output())

    def _table(self, table: str, value: Mapping[str, Any]) -> int:
        fields = self.schema[table]
        known = {field.name for field in fields}
        assert set(value) <= known, f"{table} has no {set(value) - known}"
        made: list[tuple[int, str, Any, Any]] = []  # slot, kind, what goes in, default
        slot = 0
        for field in fields:
            given = value.get(field.name)
            if field.kind.startswith("union:"):
                if given is not None:
                    member, content = given
                    number = list(self.unions[field.kind.removeprefix("union:")]).index(member) + 1
                    made.append((slot, "uint8", number, 0))
                    made.append((slot + 1, "offset", self._table(member, content), 0))
                slot += 2
                continue
            if given is not None:
                if field.kind in _SCALARS:
                    made.append((slot, field.kind, given, field.default))
                else:
                    made.append((slot, "offset", self._offset(field.kind, given), 0))
            slot += 1
        self.builder.StartObject(slot)
        for place, kind, content, default in made:
            if kind == "offset":
                self.builder.PrependUOffsetTRelativeSlot(place, content, 0)
            else:
                # A default of None is forced out of the way: the value must stand in the file.
                unlike = default if default is not None else (0 if content else 1)
                getattr(self.builder, f"Prepend{_METHODS[kind]}Slot")(place, content, unlike)
        return int(self.builder.EndObject())

    def _offset(self, kind: str, value: Any) -> int:
        if kind == "string":
            return int(self.builder.CreateString(value))
        if kind == "bytes":
            return self._bytes(value)
        if not kind.startswith("["):
            return self._table(kind, value)
        element = kind[1:-1]
        if element in _SCALARS:
            flags, _ = _SCALARS[element]
            self.builder.StartVector(flags.bytewidth, len(value), flags.bytewidth)
            for item in reversed(value):
                getattr(self.builder, f"Prepend{_METHODS[element]}")(item)
            return int(self.builder.EndVector())
        offsets = [self._offset(element, item) for item in value]
        self.builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.builder.PrependUOffsetTRelative(offset)
        return int(self.builder.EndVector())

    def _bytes(self, value: bytes) -> int:
        """A vector of bytes whose content starts at a multiple of 8, as tensor data must."""
        self.builder.StartVector(1, len(value), 8)
        head = self.builder.Head() - len(value)
        self.builder.head = head
        self.builder.Bytes[head : head + len(value)] = value
        return int(self.builder.EndVector())


_METHODS = {
    "bool": "Bool", "uint8": "Uint8", "int32": "Int32", "uint32": "Uint32", "uint64": "Uint64", "float": "Float32",
}  # fmt: skip

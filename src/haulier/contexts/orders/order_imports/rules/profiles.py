"""Order files of known shops, recognised by their column names; and rows grouped into orders.

A profile is a TOML file in `profiles`: `needs` identifies it, `group_by` names the column whose value rows of one order share,
`fields` lists columns of which the first with a value counts, `join` columns whose values are joined.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct, convert

from haulier.kernel.values.table_columns import plain_column_name

MAX_DESCRIPTION = 200
_FOLDER = Path(__file__).parents[1]


class ItemColumns(Struct, frozen=True):
    """The columns of an item."""

    quantity: str
    name: str


class OrderFileProfile(Struct, frozen=True):
    """The columns of a shop's export."""

    title: str
    source: str
    needs: list[str]
    group_by: str
    fields: dict[str, list[str]]
    join: dict[str, list[str]] = {}
    items: ItemColumns | None = None

    def columns_of(self, field: str) -> list[str]:
        """Return the columns that a field is read from."""
        return self.fields.get(field, []) + self.join.get(field, [])


class FileOrder(Struct, frozen=True):
    """An order of a file: the number of its first row, from 1, and its cells by field."""

    number: int
    cells: dict[str, str]


@cache
def get_profiles() -> tuple[OrderFileProfile, ...]:
    """Return all profiles, those that need most columns first."""
    files = sorted((_FOLDER / "profiles").glob("*.toml"))
    read = [convert(tomllib.loads(file.read_text("utf-8")), OrderFileProfile) for file in files]
    return tuple(sorted(read, key=lambda profile: -len(profile.needs)))


@cache
def get_column_names() -> Mapping[str, str]:
    """Return the fields that columns in other languages hold, by plain name."""
    names = convert(tomllib.loads((_FOLDER / "column_names.toml").read_text("utf-8")), dict[str, list[str]])
    return {plain_column_name(name): field for field, those in names.items() for name in those}


def find_profile(header: Sequence[str]) -> OrderFileProfile | None:
    """Return the profile whose columns a file has."""
    known = {plain_column_name(name) for name in header}
    return next((each for each in get_profiles() if all(plain_column_name(name) in known for name in each.needs)), None)


class ProfileReader:
    """Reads rows of a file by a profile. Columns that the caller mapped replace those of the profile.

    A mapping of a field to a column that the profile reads it from changes nothing; None leaves the field out.
    """

    def __init__(self, profile: OrderFileProfile, header: Sequence[str], mapped: Mapping[str, int | None]) -> None:
        self._profile = profile
        self._places = {plain_column_name(name): at for at, name in reversed(list(enumerate(header)))}
        own = self._own_columns()
        self._mapped = {field: at for field, at in mapped.items() if at is not None and own.get(at) != field}
        self._left_out = {field for field, at in mapped.items() if at is None}

    def columns(self) -> dict[int, str]:
        """Return the field that each column is read as."""
        kept = {
            at: field for at, field in self._own_columns().items() if field not in self._left_out | self._mapped.keys()
        }
        return kept | {at: field for field, at in self._mapped.items()}

    def _own_columns(self) -> dict[int, str]:
        profile, found = self._profile, dict[int, str]()
        for field in (*profile.fields, *profile.join):
            found |= {at: field for name in profile.columns_of(field) if (at := self._place(name)) is not None}
        for name, field in ((profile.items.name, "description"),) if profile.items else ():
            found |= {at: field} if (at := self._place(name)) is not None else {}
        return found

    def orders(self, rows: Sequence[Sequence[str]]) -> Iterator[FileOrder]:
        """Return the orders, each of one row or of those that share its number, in the order of their first rows."""
        groups = dict[str, list[tuple[int, Sequence[str]]]]()
        for number, row in enumerate(rows, 1):
            key = self._cell(row, self._profile.group_by) if self._profile.group_by else ""
            groups.setdefault(key or f"\0{number}", []).append((number, row))
        for group in groups.values():
            yield FileOrder(group[0][0], self._read([row for _, row in group]))

    def _read(self, rows: Sequence[Sequence[str]]) -> dict[str, str]:
        profile = self._profile
        cells = {
            field: next((cell for row in rows for name in names if (cell := self._cell(row, name))), "")
            for field, names in profile.fields.items()
        }
        for field, names in profile.join.items():
            parts = (" ".join(filter(None, (self._cell(row, name) for name in names))) for row in rows)
            cells[field] = next(filter(None, parts), "")
        if profile.items:
            cells["description"] = self._items(rows, profile.items)
        cells |= {field: next((row[at] for row in rows if row[at]), "") for field, at in self._mapped.items()}
        return {field: cell for field, cell in cells.items() if cell and field not in self._left_out}

    def _items(self, rows: Sequence[Sequence[str]], columns: ItemColumns) -> str:
        named = [(self._cell(row, columns.quantity), self._cell(row, columns.name)) for row in rows]
        text = ", ".join(f"{quantity or 1} × {name}" for quantity, name in named if name)
        return text if len(text) <= MAX_DESCRIPTION else text[: MAX_DESCRIPTION - 1] + "…"

    def _place(self, name: str) -> int | None:
        return self._places.get(plain_column_name(name))

    def _cell(self, row: Sequence[str], name: str) -> str:
        at = self._place(name)
        return row[at] if at is not None else ""

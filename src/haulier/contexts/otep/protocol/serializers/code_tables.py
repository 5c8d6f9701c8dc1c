"""What a status code becomes in each format: the code tables of the projections, inverted for readers."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from haulier.contexts.otep.projections import FORMATS
from haulier.contexts.otep.projections.rules.mapping_tables import read_mapping_table
from haulier.contexts.otep.vocabulary.rules import STATUS_CODES, StatusCode

MappingSheet = dict[str, Any]
_PIVOT_SHEET = read_mapping_table("pivots")


class CodeTable(Struct, frozen=True, kw_only=True):
    """A format's table. Each row names the codes that become the same, and then the cells that they become."""

    name: str
    title: str
    source: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    reasons: tuple[tuple[str, str], ...]


def code_tables() -> Iterator[CodeTable]:
    """The tables of all formats. A format without one tells the code itself."""
    for name, format in FORMATS.items():
        sheet = read_mapping_table(name)
        columns = tuple(dict.fromkeys(column for row in _target_rows(sheet) for column in row))
        yield CodeTable(
            name=name,
            title=format.title,
            source=format.source,
            columns=columns,
            rows=tuple(_table_rows(sheet, columns)),
            reasons=tuple(_reason_rows(sheet.get("reasons", {}))),
        )


def _target_rows(sheet: MappingSheet) -> Iterator[MappingSheet]:
    yield from sheet.get("pivots", {}).values()
    yield from sheet.get("codes", {}).values()


def _table_rows(sheet: MappingSheet, columns: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if "pivots" not in sheet:
        return
    alike: dict[tuple[str, ...], list[str]] = {}
    for status in STATUS_CODES:
        target = _target_row(sheet, status)
        alike.setdefault(tuple(_table_cell(target.get(column, "")) for column in columns), []).append(
            f"`{status.code}`"
        )
    for cells, codes in alike.items():
        yield ", ".join(codes), *cells


def _target_row(sheet: MappingSheet, status: StatusCode) -> MappingSheet:
    """As `MappingTable` finds it: the row of the code, else of its pivot, else of its phase's pivot."""
    finer = sheet.get("codes", {}).get(status.code)
    return finer or sheet["pivots"][_PIVOT_SHEET["codes"].get(status.code) or _PIVOT_SHEET["phases"][status.phase]]


def _reason_rows(reasons: MappingSheet, within: str = "") -> Iterator[tuple[str, str]]:
    """Reasons and what they become; some formats tell them only within one of their own words."""
    for name, target in reasons.items():
        if isinstance(target, dict) and all(isinstance(part, dict) for part in target.values()):
            yield from _reason_rows(target, f" (with {name})")
        else:
            yield f"`{name}`{within}", _table_cell(target)


def _table_cell(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else ""
        case dict():
            return ", ".join(map(_table_cell, value.values()))
        case list():
            return ", ".join(map(_table_cell, value))
        case "":
            return ""
        case _:
            return f"`{value}`"

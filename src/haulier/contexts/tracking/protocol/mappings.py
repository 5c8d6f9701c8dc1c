"""What a status code becomes in each format: the code tables of the projections, turned round for readers."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from haulier.contexts.tracking.otep.projections import FORMATS
from haulier.contexts.tracking.otep.projections.charts import read
from haulier.contexts.tracking.otep.vocabulary import TABLE, StatusCode

Sheet = dict[str, Any]
_PIVOTS = read("pivots")


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
        sheet = read(name)
        columns = tuple(dict.fromkeys(column for row in _targets(sheet) for column in row))
        yield CodeTable(
            name=name,
            title=format.title,
            source=format.source,
            columns=columns,
            rows=tuple(_rows(sheet, columns)),
            reasons=tuple(_reasons(sheet.get("reasons", {}))),
        )


def _targets(sheet: Sheet) -> Iterator[Sheet]:
    yield from sheet.get("pivots", {}).values()
    yield from sheet.get("codes", {}).values()


def _rows(sheet: Sheet, columns: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if "pivots" not in sheet:
        return
    alike: dict[tuple[str, ...], list[str]] = {}
    for status in TABLE:
        target = _target(sheet, status)
        alike.setdefault(tuple(_cell(target.get(column, "")) for column in columns), []).append(f"`{status.code}`")
    for cells, codes in alike.items():
        yield ", ".join(codes), *cells


def _target(sheet: Sheet, status: StatusCode) -> Sheet:
    """As `Chart` finds it: the row of the code, else of its pivot, else of its phase's pivot."""
    finer = sheet.get("codes", {}).get(status.code)
    return finer or sheet["pivots"][_PIVOTS["codes"].get(status.code) or _PIVOTS["phases"][status.phase]]


def _reasons(reasons: Sheet, within: str = "") -> Iterator[tuple[str, str]]:
    """Reasons and what they become; some formats tell them only within one of their own words."""
    for name, target in reasons.items():
        if isinstance(target, dict) and all(isinstance(part, dict) for part in target.values()):
            yield from _reasons(target, f" (with {name})")
        else:
            yield f"`{name}`{within}", _cell(target)


def _cell(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else ""
        case dict():
            return ", ".join(map(_cell, value.values()))
        case list():
            return ", ".join(map(_cell, value))
        case "":
            return ""
        case _:
            return f"`{value}`"

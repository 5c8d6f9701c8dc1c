"""Repair of cells that spreadsheets armour or damage: `="02138"`, `'02138`, `1.41656E+10`."""

import re
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal

from msgspec import Struct

from haulier.kernel.values.csv_text import FORMULA_BEGINS

_ARMOUR = re.compile(r'=\s*"((?:[^"]|"")*)"')
_SCIENTIFIC = re.compile(r"(?<![\w.,])(\d)[.,]?(\d*)[eE]\+(\d{2,3})(?![\w.,])")
"""As spreadsheets write large numbers. A stock number such as `7E10` has no sign."""


class RepairedCells(Struct, frozen=True):
    """Cells by field, and those whose digits a spreadsheet has rounded away, by field."""

    cells: dict[str, str]
    rounded: dict[str, str]


def strip_armour(text: str) -> str:
    """Return a cell without what spreadsheets, or writers for them, put around texts: `="02138"`, `'02138`, `'=1`.

    An apostrophe before a letter stays: it belongs to `'s-Gravenhage`.
    """
    if armoured := _ARMOUR.fullmatch(text):
        return armoured[1].replace('""', '"').strip()
    if text[:1] == "'" and (text[1:2].isdigit() or text.startswith(FORMULA_BEGINS, 1)):
        return text[1:].strip()
    return text


def repair_codes(cells: Mapping[str, str], fields: Collection[str]) -> RepairedCells:
    """Return cells in which the codes of some fields are digits again, where all of them are known.

    `1.4165550100E+10` is 14165550100; of `1.41656E+10` the last digits are lost, so it is returned as rounded.
    """
    repaired, rounded = dict(cells), dict[str, str]()
    for field in set(fields) & cells.keys():
        text = cells[field].removeprefix("'")
        lost = next(_lost_numbers(text), None)
        if lost:
            rounded[field] = lost
        repaired[field] = text if lost else _SCIENTIFIC.sub(_digits, text)
    return RepairedCells(repaired, rounded)


def _lost_numbers(text: str) -> Iterator[str]:
    return (found[0] for found in _SCIENTIFIC.finditer(text) if len(found[2]) < int(found[3]))


def _digits(found: re.Match[str]) -> str:
    return str(int(Decimal(f"{found[1]}.{found[2] or 0}E{found[3]}")))

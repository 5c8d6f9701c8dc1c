"""Repair of cells that spreadsheets quote or damage.

Examples: `="02138"`, `'02138`, `1.41656E+10`.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal

from msgspec import Struct

from haulier.kernel.values.csv_text import FORMULA_BEGINS

_ARMOUR = re.compile(r'=\s*"((?:[^"]|"")*)"')
_SCIENTIFIC = re.compile(r"(?<![\w.,])(\d)[.,]?(\d*)[eE]\+(\d{2,3})(?![\w.,])")
"""Large numbers as written by spreadsheets. A stock number such as `7E10` has no plus sign."""


class RepairedCells(Struct, frozen=True):
    """Repaired cells by field, and those whose digits a spreadsheet rounded away."""

    cells: dict[str, str]
    rounded: dict[str, str]


def strip_armour(text: str) -> str:
    """Remove the quoting that spreadsheets put around text.

    Examples: `="02138"`, `'02138`, `'=1`.

    An apostrophe before a letter stays, as in `'s-Gravenhage`.
    """
    if armoured := _ARMOUR.fullmatch(text):
        return armoured[1].replace('""', '"').strip()
    if text[:1] == "'" and (text[1:2].isdigit() or text.startswith(FORMULA_BEGINS, 1)):
        return text[1:].strip()
    return text


def repair_codes(cells: Mapping[str, str], fields: Collection[str]) -> RepairedCells:
    """Return cells with the codes of some fields converted back to digits.

    `1.4165550100E+10` becomes 14165550100. `1.41656E+10` has lost its last digits and is returned as rounded.
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

"""The code tables of the projections, TOML data beside the modules, read once when a projection is imported.

A format's table has one row per pivot, the coarse vocabulary that every standard can express, and may add finer rows
for single status codes. `MappingTable` spreads both over the codebook, so that finding an event's row is one look-up.
"""

import tomllib
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec import Struct, convert

from haulier.contexts.otep.timeline.contract import TrackingEvent

Row = TypeVar("Row", bound=Struct)


def read_mapping_table(name: str) -> dict[str, Any]:
    """A table by the name of its projection."""
    return tomllib.loads((Path(__file__).parents[1] / f"{name}.toml").read_text(encoding="utf-8"))


_PIVOT_SHEET = read_mapping_table("pivots")


class MappingTable(Generic[Row]):
    """Which row of a format's table an event takes.

    The row of its code; else of its code's pivot; else of its phase's pivot; else of a parcel under way. A code that is
    not in the codebook is never invented into something finer than its phase.
    """

    def __init__(self, sheet: dict[str, Any], row_type: type[Row]) -> None:
        """Refuses a table with a missing, unknown or ill-formed row."""
        self.pivots: dict[str, Row] = convert(sheet["pivots"], dict[str, row_type])
        finer: dict[str, Row] = convert(sheet.get("codes", {}), dict[str, row_type])
        if self.pivots.keys() != _PIVOT_SHEET["pivots"].keys():
            raise ValueError(f"rows differ from the pivots: {self.pivots.keys() ^ _PIVOT_SHEET['pivots'].keys()}")
        self.codes = {code: self.pivots[pivot] for code, pivot in _PIVOT_SHEET["codes"].items()} | finer
        self._phases = {phase: self.pivots[pivot] for phase, pivot in _PIVOT_SHEET["phases"].items()}
        self._otherwise = self.pivots[_PIVOT_SHEET["otherwise"]]

    def row_for(self, code: str, phase: str) -> Row:
        """The row of a status code that occurred in a phase."""
        return self.codes.get(code) or self._phases.get(phase) or self._otherwise

    def row(self, event: TrackingEvent) -> Row:
        """The row of an event."""
        return self.codes.get(event.status_code) or self._phases.get(event.phase) or self._otherwise


class PivotRow(Struct, frozen=True):
    """What a pivot says about the parcel: whether it has left the sender."""

    moved: bool


PIVOT_TABLE = MappingTable({"pivots": _PIVOT_SHEET["pivots"]}, PivotRow)

"""Rules of the log of a vehicle."""

from enum import StrEnum


class VehicleLogKind(StrEnum):
    """Kinds of log entries."""

    READING = "reading"
    SERVICE = "service"
    REPAIR = "repair"


def is_in_order(metres: int, before: int | None, after: int | None) -> bool:
    """Return True if a reading lies between the readings before and after it."""
    return (before is None or before <= metres) and (after is None or metres <= after)

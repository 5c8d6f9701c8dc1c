"""Types of ids in requests and answers, each for one kind of record."""

from typing import Annotated

from msgspec import Struct

from haulier.kernel.operations.fields import RecordId


class RefersTo(Struct, frozen=True):
    """Marks an id with the noun that its record is one of."""

    noun: str


DriverId = Annotated[RecordId, RefersTo("drivers")]
"""The record of a driver, as `get_drivers` lists it; never the driver's user."""
UserId = Annotated[RecordId, RefersTo("users")]

"""The table of depots."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from sqlalchemy import Boolean, String, bindparam, select

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import notify_writes
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX

DEPOTS_CHANNEL = "depots"
"""Notification channel for changes to the depots of a client."""
MOST_PLACES = 200
"""Maximum number of depots compared with the coordinates of a new order."""


class DepotRow(Record, table="depot"):
    """A depot."""

    name: Annotated[str, String(NAME_MAX)]
    address: Annotated[str, String(300)]
    lat: float
    lng: float
    closed: bool
    created_at: datetime


depots = DepotRow.table
plain_columns(depots, "name", "address", "lat", "lng")
notify_writes(depots, DEPOTS_CHANNEL)


class PlaceRow(Row):
    """The coordinates of a depot."""

    lat: float
    lng: float


_wanted = depots.c.closed.is_(False) | bindparam("all", type_=Boolean)
_places = select(depots.c.lat, depots.c.lng).where(depots.c.closed.is_(False)).order_by(depots.c.id).limit(MOST_PLACES)


async def list_depot_rows(work: UnitOfWork, *, closed: bool, limit: int, offset: int) -> tuple[Sequence[DepotRow], int]:
    """Return a page of depots by name, and the number of depots."""
    return await DepotRow.list_page(work, _wanted, order_by=[depots.c.name], limit=limit, offset=offset, all=closed)


async def list_depot_places(work: UnitOfWork) -> tuple[tuple[float, float], ...]:
    """Return the coordinates of the open depots, the earliest first."""
    return tuple((row.lat, row.lng) for row in await work.all(_places, PlaceRow))

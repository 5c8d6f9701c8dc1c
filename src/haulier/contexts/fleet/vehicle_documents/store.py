"""The table of vehicle documents."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import Index, String, bindparam, exists, func, or_, select

from haulier.contexts.fleet.driver_documents.contract import NUMBER_MAX
from haulier.contexts.fleet.vehicles.queries import vehicles
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX


class VehicleDocumentRow(
    Record,
    table="vehicle_document",
    items=[Index(None, "client_id", "vehicle_id"), Index(None, "client_id", "expires_on")],
):
    """A document of a vehicle."""

    vehicle_id: Reference
    kind: Annotated[str, String(40)]
    title: Annotated[str, String(NAME_MAX)] | None
    number: Annotated[str, String(NUMBER_MAX)] | None
    issued_on: date | None
    expires_on: date | None
    file_id: Reference | None
    uploaded_by: Reference | None
    uploaded_at: datetime


vehicle_documents = VehicleDocumentRow.table
plain_columns(vehicle_documents, "kind", "title", "number")


class NamedVehicleDocumentRow(VehicleDocumentRow):
    """A document with the name of its vehicle."""

    vehicle_name: str
    contractor_id: int | None


_named = select(vehicle_documents, vehicles.c.name.label("vehicle_name"), vehicles.c.contractor_id).join(
    vehicles, vehicles.c.id == vehicle_documents.c.vehicle_id
)
_by_id = _named.where(vehicle_documents.c.id == bindparam("document"))
_longer = vehicle_documents.alias("longer")
_is_superseded = (
    exists()
    .where(
        _longer.c.vehicle_id == vehicle_documents.c.vehicle_id,
        _longer.c.kind == vehicle_documents.c.kind,
        or_(_longer.c.expires_on.is_(None), _longer.c.expires_on > vehicle_documents.c.expires_on),
    )
    .correlate(vehicle_documents)
)
_FILTERS: Mapping[str, tuple[Any, ...]] = {
    "vehicle": (vehicle_documents.c.vehicle_id == bindparam("vehicle"),),
    "contractor": (vehicles.c.contractor_id == bindparam("contractor"),),
    "kind": (vehicle_documents.c.kind == bindparam("kind"),),
    "due_until": (
        vehicle_documents.c.expires_on <= bindparam("due_until"),
        vehicles.c.retired_at.is_(None),
        ~_is_superseded,
    ),
}


async def get_vehicle_document_row(
    work: UnitOfWork, document_id: int, *, lock: bool = False
) -> NamedVehicleDocumentRow | None:
    """Return a document of this client with the name of its vehicle, or None."""
    statement = _by_id.with_for_update(of=vehicle_documents) if lock else _by_id
    return await work.first(statement, NamedVehicleDocumentRow, document=document_id)


async def list_vehicle_document_rows(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[NamedVehicleDocumentRow], int]:
    """Return a page of documents by expiry, and the number that match.

    Filters: the keys of `_FILTERS`.
    """
    listed = _named.where(*_clauses(filters)).order_by(
        vehicle_documents.c.expires_on.is_(None), vehicle_documents.c.expires_on, vehicle_documents.c.id
    )
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, NamedVehicleDocumentRow, **filters, page_size=limit, skipped=offset)
    return rows, await count_vehicle_document_rows(work, filters)


async def count_vehicle_document_rows(work: UnitOfWork, filters: Mapping[str, Any]) -> int:
    """Return the number of documents that match."""
    joined = vehicle_documents.join(vehicles, vehicles.c.id == vehicle_documents.c.vehicle_id)
    counted = select(func.count()).select_from(joined).where(*_clauses(filters))
    return int(await work.value(counted, **filters))


def _clauses(filters: Mapping[str, Any]) -> list[Any]:
    return [clause for name in filters for clause in _FILTERS[name]]

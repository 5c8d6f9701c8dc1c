"""Requests and answers about the log of a vehicle.

Money is in minor units of the business's currency.
"""

from datetime import date, datetime
from typing import Annotated, Self

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.fleet.driver_documents.contract import DocumentDay
from haulier.contexts.fleet.vehicle_log.rules import VehicleLogKind
from haulier.contexts.fleet.vehicles.contract import Minor, OdometerMetres
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Note, RecordId
from haulier.kernel.operations.ids import VehicleLogEntryId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class AddVehicleLogEntry(Request):
    """An odometer reading, a service or a repair."""

    vehicle_id: RecordId
    """ID of the vehicle."""
    kind: VehicleLogKind = VehicleLogKind.READING
    """Type of entry."""
    done_on: DocumentDay | None = None
    """Day of the entry. Default: today."""
    odometer_m: OdometerMetres | None = None
    """Odometer reading in metres. Required for `reading`."""
    cost_minor: Minor | None = None
    """Cost of the work."""
    note: Note | None = None
    """Work done, and by which garage."""
    next_service_on: DocumentDay | None = None
    """Date of the next service. For `service`, replaces the planned one."""
    next_service_at_m: OdometerMetres | None = None
    """Odometer reading in metres at which the next service is due. For `service`, replaces the planned one."""

    @model_validator(mode="after")
    def _reading_has_a_value(self) -> Self:
        if self.kind is VehicleLogKind.READING and self.odometer_m is None:
            raise PydanticCustomError("reading_without_value", "odometer_m is required for a reading")
        return self


class VehicleLogEntryRef(Request):
    """Reference to a log entry."""

    vehicle_id: RecordId
    """ID of the vehicle."""
    log_entry_id: VehicleLogEntryId
    """ID of the log entry."""


class ListVehicleLogEntries(PageRequest):
    """Vehicle and page of its log."""

    vehicle_id: RecordId
    """ID of the vehicle."""
    kind: VehicleLogKind | None = None
    """Filter by type of entry."""


class VehicleLogEntry(Answer):
    """An entry in the log of a vehicle."""

    id: int
    kind: Annotated[str, doc("Type of entry.", VehicleLogKind.READING.value)]
    done_on: date
    odometer_m: Annotated[int | None, doc("Odometer reading in metres.")]
    cost_minor: int | None
    note: str | None
    created_by: int | None
    created_at: datetime


class VehicleLogEntryAnswer(Answer):
    """One log entry."""

    result: bool = True
    log_entry: VehicleLogEntry


class VehicleLogEntryList(PagedAnswer):
    """A page of log entries, the newest first."""

    log_entries: list[VehicleLogEntry]

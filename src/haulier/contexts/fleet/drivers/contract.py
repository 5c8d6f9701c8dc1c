"""Request and response models for drivers."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.custom_fields.fields import FieldFilters, FieldValues, ShownValues, values_of
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Email, Name, RecordId, Skill, Skills
from haulier.kernel.operations.ids import DriverId, UserId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.kernel.values.table_exports import TableRequest

PHONE_MAX, VEHICLE_MAX, SEARCH_MAX = 50, 120, 120

Language = Literal["en", "zh-Hans", "zh-Hant", "fr", "de", "es"]
Phone = Annotated[str, Field(min_length=3, max_length=PHONE_MAX, pattern=NO_NUL)]
Vehicle = Annotated[str, Field(max_length=VEHICLE_MAX, pattern=NO_NUL)]


class DriverFilters(Request):
    """Filters of a driver list. Drivers must match all of them."""

    contractor_id: RecordId | None = None
    """Filter by contractor (user ID). Contractors see only their own drivers."""
    own: bool = False
    """If true, only drivers of the business itself, without a contractor."""
    active: bool | None = None
    """Filter by whether the driver is active."""
    skill: Skill | None = Field(default=None, examples=["tail_lift"])
    """Filter by skill."""
    search: str | None = Field(default=None, min_length=1, max_length=SEARCH_MAX, pattern=NO_NUL, examples=["Ada"])
    """Filter by part of the name or phone number."""
    custom_fields: FieldFilters = []
    """Filters by custom fields: `name:value`, `name>=value` or `name<=value`. All must match."""


class ListDrivers(DriverFilters, PageRequest):
    """Filters and page of a driver list."""


class ExportDrivers(DriverFilters, TableRequest):
    """Filters, page and format of a driver export."""


class DriverRef(Request):
    """Reference to a driver."""

    driver_id: DriverId
    """ID of the driver."""


class CreateDriver(Request):
    """A new driver."""

    name: Name
    """Name shown to other users."""
    phone: Phone | None = None
    """Phone number."""
    vehicle: Vehicle | None = None
    """Vehicle of the driver as free text."""
    skills: Skills = []
    """Skills that orders can require."""
    user_id: UserId | None = None
    """Driver account for signing in to the app. Only staff can link accounts."""
    contractor_id: RecordId | None = None
    """Contractor of the driver, as a user ID. Drivers created by a contractor always belong to that contractor."""
    custom_fields: Annotated[FieldValues, values_of("driver")] = {}
    """Values of the custom fields of drivers."""


class UpdateDriver(Request):
    """Changes to a driver.

    Omitted fields are unchanged; null clears phone, vehicle and user_id.
    """

    driver_id: DriverId
    name: Name | None = None
    phone: Phone | None = None
    vehicle: Vehicle | None = None
    skills: Skills | None = None
    user_id: UserId | None = None
    """Driver account to link, or null to unlink it. Only staff can link accounts."""
    active: bool | None = None
    """If true, the driver can be assigned to routes."""
    custom_fields: Annotated[FieldValues, values_of("driver")] = {}
    """Values of custom fields. Omitted fields are unchanged; null clears a field."""


class InviteDriver(DriverRef):
    """Invitation of a driver to sign in."""

    email: Email
    """Email address for signing in."""
    language: Language | None = None
    """Language of the email. Default: the language of the business."""


class Driver(Answer):
    """A driver."""

    id: int
    name: str
    phone: str | None
    vehicle: str | None
    skills: list[str]
    active: bool
    user_id: Annotated[UserId | None, doc("Account for signing in; null if the driver has none.")]
    contractor_id: Annotated[int | None, doc("Contractor of the driver; null for drivers of the business itself.")]
    custom_fields: ShownValues
    created_at: datetime


class DriverAnswer(Answer):
    """One driver."""

    result: bool = True
    driver: Driver


class DriverList(PagedAnswer):
    """A page of drivers, by name."""

    drivers: list[Driver]

"""What goes in and out of drivers."""

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
    """Which drivers; one must match all that are given."""

    contractor_id: RecordId | None = None
    """Only those of this contractor (user id); contractors see only their own."""
    own: bool = False
    """Only those of the client itself, of no contractor."""
    active: bool | None = None
    """Only those who may, or may not, be given routes."""
    skill: Skill | None = Field(default=None, examples=["tail_lift"])
    """Only those with this skill."""
    search: str | None = Field(default=None, min_length=1, max_length=SEARCH_MAX, pattern=NO_NUL, examples=["Ada"])
    """A part of the name or of the phone number."""
    custom_fields: FieldFilters = []
    """By the client's own fields: `name:value`, `name>=value` or `name<=value`; all must fit."""


class ListDrivers(DriverFilters, PageRequest):
    """Which drivers to list."""


class ExportDrivers(DriverFilters, TableRequest):
    """Which drivers, and in which form."""


class DriverRef(Request):
    """Which driver."""

    driver_id: DriverId
    """The driver's id."""


class CreateDriver(Request):
    """A new driver."""

    name: Name
    """The name that others see."""
    phone: Phone | None = None
    """Where to reach them."""
    vehicle: Vehicle | None = None
    """What they drive, in words."""
    skills: Skills = []
    """What they can do that an order may ask for."""
    user_id: UserId | None = None
    """The driver account with which they sign in to the app. Only the client links accounts."""
    contractor_id: RecordId | None = None
    """The contractor (user id) they drive for. A contractor's own drivers are always theirs."""
    custom_fields: Annotated[FieldValues, values_of("driver")] = {}
    """Values of the client's own fields of drivers."""


class UpdateDriver(Request):
    """What to change; what is left out stays as it is. Null empties phone, vehicle and user_id."""

    driver_id: DriverId
    name: Name | None = None
    phone: Phone | None = None
    vehicle: Vehicle | None = None
    skills: Skills | None = None
    user_id: UserId | None = None
    """Another driver account, or null to unlink it. Only the client links accounts."""
    active: bool | None = None
    """Whether they may be given routes."""
    custom_fields: Annotated[FieldValues, values_of("driver")] = {}
    """Values of the client's own fields; what is left out stays, null empties it."""


class InviteDriver(DriverRef):
    """The e-mail address to which a driver's invitation goes."""

    email: Email
    """What they will sign in with."""
    language: Language | None = None
    """The language of the letter; that of the business when left out."""


class Driver(Answer):
    """A driver."""

    id: int
    name: str
    phone: str | None
    vehicle: str | None
    skills: list[str]
    active: bool
    user_id: Annotated[UserId | None, doc("The account with which they sign in; null while they have none.")]
    contractor_id: Annotated[int | None, doc("The contractor they drive for; null for the client's own.")]
    custom_fields: ShownValues
    created_at: datetime


class DriverAnswer(Answer):
    """One driver."""

    result: bool = True
    driver: Driver


class DriverList(PagedAnswer):
    """A page of drivers, by name."""

    drivers: list[Driver]

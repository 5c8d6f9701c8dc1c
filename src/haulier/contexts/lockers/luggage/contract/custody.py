"""Request and response models for handovers, codes and drivers of luggage."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from haulier.contexts.lockers.devices.contract.devices import DeviceCommandRecord
from haulier.contexts.lockers.luggage.contract.bookings import LuggageAnswer, LuggageRef, LuggageTag
from haulier.contexts.lockers.luggage.rules import BAGS_MAX
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.fields import NO_NUL, REASON_MAX, Note
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.moments import Moment

LuggageTags = Annotated[list[LuggageTag], Field(min_length=1, max_length=BAGS_MAX)]


class HandOverLuggage(LuggageRef):
    """A handover of bags."""

    step: Literal["receive", "load", "unload", "hand_out"]
    """Step: `receive` (from the traveller), `load`, `unload` (at the destination) or `hand_out` (to the traveller)."""
    tags: LuggageTags
    """Scanned tags of the bags."""
    pin: Annotated[SecretStr, Field(min_length=4, max_length=12, examples=["047155"])] | None = None
    """PIN sent to the traveller. Required when the traveller is present."""
    identity_checked: Annotated[str, Field(min_length=3, max_length=REASON_MAX, pattern=NO_NUL)] | None = Field(
        default=None, examples=["Passport shown"]
    )
    """Identity check by staff for a traveller without a PIN."""
    note: Note | None = Field(default=None, examples=["Left with the porter"])


class ReportLuggageBag(LuggageRef):
    """Report about a bag."""

    tag: LuggageTag
    fault: Literal["lost", "damaged"]
    note: Note = Field(min_length=3, examples=["A wheel is broken"])


class AssignLuggageDriver(LuggageRef):
    """Assignment of a driver to a luggage booking."""

    driver_id: DriverId | None
    """Driver ID, as returned by `get_drivers`. Null to unassign the driver."""


class ExtendLuggagePickup(LuggageRef):
    """New end of the pickup time."""

    until: Moment


class LuggageHandedOver(LuggageAnswer):
    """A luggage booking after a handover, or while doors are opening for it."""

    accepted: Annotated[bool, doc("False if the PIN was wrong. Nothing is handed over in this case.")]
    tries_left: int
    doors: Annotated[
        list[DeviceCommandRecord], doc("Doors that are opening now. The bags follow the outcome of each door.")
    ]


class LuggageBoxCode(Answer):
    """One-time code for the compartment of a bag."""

    tag: str
    cabinet: str
    box: int
    code: str


class LuggageCodes(LuggageAnswer):
    """New codes of a booking. They are shown only once."""

    codes: list[LuggageBoxCode]
    pin: Annotated[str | None, doc("PIN that the traveller gives at a handover in person.", "047155")]

"""What goes in and out of handing bags over, of their codes, and of who carries them."""

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
    """Bags that change hands."""

    step: Literal["receive", "load", "unload", "hand_out"]
    """receive: from the traveller, load: into the van, unload: at the destination, hand_out: to the traveller."""
    tags: LuggageTags
    """The tags, as they were scanned."""
    pin: Annotated[SecretStr, Field(min_length=4, max_length=12, examples=["047155"])] | None = None
    """What the traveller was sent; needed where the traveller is there."""
    identity_checked: Annotated[str, Field(min_length=3, max_length=REASON_MAX, pattern=NO_NUL)] | None = Field(
        default=None, examples=["Passport shown"]
    )
    """How the office made sure who the traveller is who has no PIN."""
    note: Note | None = Field(default=None, examples=["Left with the porter"])


class ReportLuggageBag(LuggageRef):
    """What is wrong with a bag."""

    tag: LuggageTag
    fault: Literal["lost", "damaged"]
    note: Note = Field(min_length=3, examples=["A wheel is broken"])


class AssignLuggageDriver(LuggageRef):
    """Who carries the bags."""

    driver_id: DriverId | None
    """The driver's id, as `get_drivers` lists it; null for nobody yet. A driver without an account sees the booking once they
    have one."""


class ExtendLuggagePickup(LuggageRef):
    """Bags that may wait longer."""

    until: Moment


class LuggageHandedOver(LuggageAnswer):
    """A booking after bags changed hands, or while doors are opened for them."""

    accepted: Annotated[bool, doc("False where the PIN was wrong: then nothing changed hands.")]
    tries_left: int
    doors: Annotated[list[DeviceCommandRecord], doc("Doors that are opened now; the bags follow what they do.")]


class LuggageBoxCode(Answer):
    """A code that opens the box of a bag, once."""

    tag: str
    cabinet: str
    box: int
    code: str


class LuggageCodes(LuggageAnswer):
    """New codes of a booking. They are shown here and never again."""

    codes: list[LuggageBoxCode]
    pin: Annotated[str | None, doc("What the traveller tells whoever takes the bags or hands them out.", "047155")]

"""A hand-over as the driver's app shows it."""

from datetime import datetime
from typing import Annotated

from haulier.kernel.operations.answers import Answer, doc


class HandoverContact(Answer):
    """Who is at the door, and how to find it. Gone as soon as the stop is over."""

    name: str
    phone: str | None
    address: Annotated[str, doc("Street and number.")]
    unit: str | None
    city: str
    region: str | None
    postal_code: str | None
    country: str
    lat: float | None
    lng: float | None
    notes: Annotated[str | None, doc("How to get in: buzzer, gate code, floor.")]


class HandoverPiece(Answer):
    """A piece to be handed over."""

    id: int
    barcode: Annotated[str, doc("What is on its label and is scanned: the tracking number of the piece.", "HLTR16KD-2")]
    weight_g: int
    length_mm: int | None
    width_mm: int | None
    height_mm: int | None
    description: str | None
    outcome: Annotated[str | None, doc("delivered, missing, damaged, refused or returned; null until one knows.")]


class RequiredProof(Answer, frozen=True):
    """What has to prove a delivery: what the business asks of every one, and what its order asks besides."""

    signature: bool = False
    photo: bool = False
    recipient: Annotated[bool, doc("Whether the name of who took it is needed.")] = False
    pin: Annotated[bool, doc("Whether the recipient has to say the PIN that only they can see.")] = False
    minimum_age: Annotated[int | None, doc("The age in years to check before handing over.")] = None
    max_distance_m: Annotated[int | None, doc("Farther from the stop a delivery is refused.")] = None


class OpenTime(Answer):
    """From when and until when a place is open."""

    opens_at: datetime
    closes_at: datetime


class HandoverLocker(Answer):
    """The locker into which a parcel goes."""

    site_name: str
    site_address: str
    open_times: Annotated[list[OpenTime] | None, doc("On the day of the route; null where it is always open.")]
    locker_parcel_id: Annotated[int | None, doc("The parcel that has the box; another one has another code.")]
    cabinet: Annotated[str | None, doc("What is written on the cabinet.", "A")]
    box: Annotated[int | None, doc("The box's number in the cabinet.")]
    status: Annotated[str, doc("planned until its box opened, then deposited, and collected in the end.", "planned")]
    if_full: Annotated[
        str, doc("Where it goes when no box opens: nearest_locker, address or return.", "nearest_locker")
    ]
    code_made_at: Annotated[datetime | None, doc("When its newest code was made; an older one opens nothing.")]
    access_notes: Annotated[str | None, doc("How to find it.")]


class Handover(Answer):
    """Everything that is needed at the door, so that a device can be without a connection there."""

    contact: Annotated[HandoverContact | None, doc("Null once the stop is over, and where the order names nobody.")]
    instruction: Annotated[str | None, doc("Where to leave it, whom to ask.")]
    note: Annotated[str | None, doc("A note of the office's.")]
    pieces: list[HandoverPiece]
    weight_g: int
    cod_minor: Annotated[int | None, doc("Money to take, in minor units; null for none.")]
    currency: Annotated[str, doc("Of the money to take; ISO 4217.")]
    skills: Annotated[list[str], doc("Skills or equipment that are needed.")]
    service_time_s: Annotated[int, doc("Seconds planned at the door.")]
    proof: Annotated[RequiredProof, doc("What has to prove it; of a pickup nothing is asked.")]
    locker: Annotated[HandoverLocker | None, doc("The locker into which it goes; null for a door.")] = None

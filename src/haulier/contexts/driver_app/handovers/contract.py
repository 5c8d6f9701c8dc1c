"""A hand-over as the driver's app shows it."""

from datetime import datetime
from typing import Annotated

from haulier.kernel.operations.answers import Answer, doc


class HandoverContact(Answer):
    """Contact at a stop and access notes. Hidden as soon as the stop is finished."""

    name: str
    phone: str | None
    address: Annotated[str, doc("Street and house number.")]
    unit: str | None
    city: str
    region: str | None
    postal_code: str | None
    country: str
    lat: float | None
    lng: float | None
    notes: Annotated[str | None, doc("Access notes such as buzzer, gate code or floor.")]


class HandoverPiece(Answer):
    """A piece to be handed over."""

    id: int
    barcode: Annotated[str, doc("Tracking number on the label, used for scanning.", "HLTR16KD-2")]
    weight_g: int
    length_mm: int | None
    width_mm: int | None
    height_mm: int | None
    description: str | None
    outcome: Annotated[str | None, doc("Outcome: delivered, missing, damaged, refused or returned. Null until known.")]


class RequiredProof(Answer, frozen=True):
    """Proof that a delivery requires, by the business's policy and by its order."""

    signature: bool = False
    photo: bool = False
    recipient: Annotated[bool, doc("True if the name of the receiver is required.")] = False
    pin: Annotated[bool, doc("True if the recipient must give their PIN.")] = False
    minimum_age: Annotated[int | None, doc("Minimum age of the recipient in years, to check at the handover.")] = None
    max_distance_m: Annotated[int | None, doc("Maximum distance from the stop in metres to complete a delivery.")] = (
        None
    )


class OpenTime(Answer):
    """From when and until when a place is open."""

    opens_at: datetime
    closes_at: datetime


class HandoverLocker(Answer):
    """The locker into which a parcel goes."""

    site_name: str
    site_address: str
    open_times: Annotated[list[OpenTime] | None, doc("Opening hours on the day of the route; null if always open.")]
    locker_parcel_id: Annotated[int | None, doc("Parcel of the compartment. Each parcel has its own code.")]
    cabinet: Annotated[str | None, doc("Name written on the locker.", "A")]
    box: Annotated[int | None, doc("Number of the compartment in the locker.")]
    status: Annotated[
        str, doc("Status: planned until the compartment opens, then deposited, finally collected.", "planned")
    ]
    if_full: Annotated[
        str, doc("Alternative if no compartment opens: nearest_locker, address or return.", "nearest_locker")
    ]
    code_made_at: Annotated[datetime | None, doc("Creation time of the newest code. Older codes are invalid.")]
    access_notes: Annotated[str | None, doc("Directions to the locker.")]


class Handover(Answer):
    """All details of a handover, so that a device can work offline at the stop."""

    contact: Annotated[
        HandoverContact | None, doc("Contact at the stop; null if the stop is finished or the order has no contact.")
    ]
    instruction: Annotated[str | None, doc("Delivery instruction for the driver.")]
    note: Annotated[str | None, doc("Internal note of staff.")]
    pieces: list[HandoverPiece]
    weight_g: int
    cod_minor: Annotated[int | None, doc("Cash to collect in minor units; null if none.")]
    currency: Annotated[str, doc("Currency of the cash to collect (ISO 4217).")]
    skills: Annotated[list[str], doc("Required skills or equipment.")]
    service_time_s: Annotated[int, doc("Planned service time in seconds.")]
    proof: Annotated[RequiredProof, doc("Required proof. A pickup requires none.")]
    locker: Annotated[HandoverLocker | None, doc("Locker of the delivery; null for a delivery to the address.")] = None

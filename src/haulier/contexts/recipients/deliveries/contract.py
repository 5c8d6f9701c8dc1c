"""Request and response models for recipients' deliveries."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field, SecretStr, StringConstraints

from haulier.contexts.orders.delivery_orders.contract.filters import Rating
from haulier.contexts.orders.delivery_orders.contract.items import ContentsLine
from haulier.contexts.orders.delivery_orders.rules.ratings import RATING_COMMENT_MAX
from haulier.contexts.otep.public import HandedTo
from haulier.contexts.recipients.brand.contract import Brand
from haulier.contexts.tracking.timelines.contract import TrackingNumber
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, OneLine, RecordId
from haulier.kernel.operations.ids import DeliveryWindowId, FileId

INSTRUCTION_MAX = 500
NEIGHBOUR_MAX = 120


class DeliveryNumber(Request):
    """Tracking number."""

    number: TrackingNumber
    """Tracking number on the label or in the message to the recipient."""


class ParcelOfOrder(Answer):
    """A parcel of an order that is delivered in parts."""

    number: Annotated[int, doc("Number of the parcel, from 1.")]
    tracking_number: str
    status: Annotated[str | None, doc("Latest status on the timeline.", "in_transit")]
    description: Annotated[str | None, doc("Latest status in the caller's language.", "In transit")]
    expected_on: Annotated[date | None, doc("Day on which goods that are out of stock are expected.")]


class DeliveryNotice(Answer):
    """Public information about a delivery, without personal data."""

    result: bool = True
    tracking_number: str
    business: Annotated[Brand, doc("Name and contact details of the delivery company.")]
    day: Annotated[date | None, doc("Planned delivery day in the business's time zone.")]
    window_start: Annotated[datetime | None, doc("Start of the promised delivery window.")]
    window_end: Annotated[datetime | None, doc("End of the promised delivery window.")]
    time_zone: Annotated[str, doc("Time zone of the business (IANA name).", "America/Toronto")]
    stops_before: Annotated[int | None, doc("Number of stops before this one. Null unless a driver is on the way.")]
    expected_at: Annotated[datetime | None, doc("Planned time of arrival. Null unless a driver is on the way.")]
    parcels: Annotated[list[ParcelOfOrder], doc("All parcels of the order; empty if it is delivered as a whole.")]
    for_pickup: Annotated[bool, doc("True if the recipient collects the parcel at a depot.")]
    missed_at: Annotated[datetime | None, doc("Time of a failed attempt that is followed by another one.")]
    choices: Annotated[
        list[str], doc("Choices available to the recipient after verification.", ["instruct", "choose_window"])
    ]


class OpenDelivery(Request):
    """Tracking number and proof of a recipient."""

    number: TrackingNumber
    """Tracking number on the label or in the message to the recipient."""
    proof: Annotated[SecretStr, Field(min_length=1, max_length=40, examples=["M5V 2T6"])]
    """Recipient's postal code, or the last four digits of their phone number."""


class DeliveryAccess(Request):
    """Access of a verified recipient."""

    access: Annotated[SecretStr, Field(min_length=20, max_length=200, examples=["hldelivery_9rWZ0l2WcQm1nO7vXyZ"])]
    """Access token returned by `open_delivery`."""


class SetDeliveryInstruction(DeliveryAccess):
    """Delivery instruction for the driver."""

    instruction: Annotated[str, StringConstraints(max_length=INSTRUCTION_MAX, pattern=NO_NUL)] = ""
    """Safe place, gate code or directions. Replaces the existing instruction; empty removes it."""
    neighbour: Annotated[str, StringConstraints(max_length=NEIGHBOUR_MAX, pattern=NO_NUL), OneLine] = ""
    """Neighbour who may accept the parcel, with name and address."""


class ChooseDeliveryWindow(DeliveryAccess):
    """New delivery window."""

    window_id: DeliveryWindowId
    """ID of an available delivery window."""


class RateDelivery(DeliveryAccess):
    """Rating of a delivery."""

    rating: Rating
    """Number of stars, from 1 to 5."""
    comment: Annotated[str, StringConstraints(max_length=RATING_COMMENT_MAX, pattern=NO_NUL)] = ""
    """Comment for the business. Replaces the existing comment; empty removes it."""


class OpenProofFile(DeliveryAccess):
    """Image of a proof of delivery."""

    file_id: FileId
    """ID of a file listed in the delivery."""


class DeliveryProof(Answer):
    """Proof of delivery."""

    at: Annotated[datetime | None, doc("Time of delivery.")]
    recipient: Annotated[str | None, doc("Name of the receiver, as entered by the driver.")]
    handed_to: Annotated[HandedTo | None, doc("Receiver, or place where the parcel was left.")]
    left_at: Annotated[str | None, doc("Place where the parcel was left.")]
    pieces_left: Annotated[int, doc("Number of packages that were not handed over.")]
    outcome: Annotated[str | None, doc("Outcome in the caller's language.", "Left with a neighbour: Ms Lee")]
    signature: Annotated[int | None, doc("Signature file.")]
    photos: Annotated[list[int], doc("Photo files.")]


class RecipientPickup(Answer):
    """Pickup of a parcel at a depot."""

    depot: Annotated[str | None, doc("Name of the depot.", "Toronto depot")]
    address: Annotated[str | None, doc("Address of the depot.", "100 Queen St W, Toronto")]
    ready_at: Annotated[datetime | None, doc("Time since which the parcel is ready. Null before.")]
    held_until: Annotated[date | None, doc("Last day on which the parcel is held.")]
    code: Annotated[str | None, doc("Pickup code. Null until the parcel is ready, and after the pickup.", "4711")]


class Delivery(Answer):
    """Delivery as its recipient sees it."""

    tracking_number: str
    status: Annotated[str, doc("Status of the order.", "PLANNED")]
    sender: Annotated[str | None, doc("Name of the sender.")]
    name: str
    address: Annotated[str, doc("Street, number and unit.")]
    city: str
    postal_code: str | None
    day: date | None
    window_start: datetime | None
    window_end: datetime | None
    delivery_instruction: Annotated[str | None, doc("Instruction for the driver, with the neighbour in its last line.")]
    instruction: Annotated[str, doc("The instruction without the neighbour.")]
    neighbour: Annotated[str, doc("Neighbour, with name and door.")]
    pickup: Annotated[RecipientPickup | None, doc("Pickup at a depot. Null if the parcel is delivered.")] = None
    proof: DeliveryProof | None
    contents: Annotated[list[ContentsLine], doc("Ordered goods, if the sender shows them; else empty.")]
    rating: Annotated[int | None, doc("Your rating, from 1 to 5 stars.", 5)]
    rating_comment: Annotated[str | None, doc("Your comment for the business.")]
    choices: Annotated[list[str], doc("Available choices.", ["instruct", "choose_window", "rate"])]


class DeliveryAnswer(Answer):
    """Delivery of a recipient."""

    result: bool = True
    delivery: Delivery


class DeliveryOpened(Answer):
    """Short-lived access to one delivery."""

    result: bool = True
    access: Annotated[str, doc("Access token for following calls. It is valid for this delivery only.")]
    expires_at: datetime
    delivery: Delivery


class DeliveryWindow(Answer):
    """Available delivery window."""

    id: int
    day: date
    starts_at: datetime
    ends_at: datetime


class DeliveryWindows(Answer):
    """Available delivery windows."""

    result: bool = True
    windows: list[DeliveryWindow]


class OrderProofRef(Request):
    """Reference to an order."""

    order_id: RecordId
    """ID of the order."""


class OrderProofFileRef(OrderProofRef):
    """Image of an order's proof of delivery."""

    file_id: FileId
    """ID of a file listed in the proof."""


class OrderProof(Answer):
    """Proof of delivery of an order."""

    result: bool = True
    order_id: int
    tracking_number: str
    status: Annotated[str, doc("Status of the order.", "DELIVERED")]
    proof: Annotated[DeliveryProof | None, doc("Proof. Null before delivery, or if none was recorded.")]
    page: Annotated[str, doc("Page that shows the proof to signed-in users.")]


class ProofFile(Answer):
    """Image of a proof of delivery."""

    result: bool = True
    media_type: Annotated[str, doc("", "image/jpeg")]
    content: Annotated[str, doc("File content in base64.")]

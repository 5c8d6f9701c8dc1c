"""A recipient's delivery: requests and answers."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field, SecretStr, StringConstraints

from haulier.contexts.otep.public import HandedTo
from haulier.contexts.recipients.brand.contract import Brand
from haulier.contexts.tracking.timelines.contract import TrackingNumber
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, OneLine, RecordId

INSTRUCTION_MAX = 500
NEIGHBOUR_MAX = 120


class DeliveryNumber(Request):
    """A tracking number."""

    number: TrackingNumber
    """The number on the label or in the message to the recipient."""


class DeliveryNotice(Answer):
    """What anybody who knows the number is told besides the journey: nothing about people."""

    result: bool = True
    tracking_number: str
    business: Annotated[Brand, doc("Who delivers, and whom to ask")]
    day: Annotated[date | None, doc("The day it is planned for, in the business's time zone")]
    window_start: Annotated[datetime | None, doc("Promised: not before")]
    window_end: Annotated[datetime | None, doc("Promised: not after")]
    missed_at: Annotated[datetime | None, doc("When a visit failed after which another is due")]
    choices: Annotated[
        list[str], doc("What the recipient may do once they proved who they are", ["instruct", "choose_window"])
    ]


class OpenDelivery(Request):
    """A tracking number, and what shows that it is the recipient who asks."""

    number: TrackingNumber
    """The number on the label or in the message to the recipient."""
    proof: Annotated[SecretStr, Field(min_length=1, max_length=40, examples=["M5V 2T6"])]
    """The recipient's postal code, or the last four digits of their phone."""


class DeliveryAccess(Request):
    """The recipient's access."""

    access: Annotated[SecretStr, Field(min_length=20, max_length=200, examples=["hldelivery_9rWZ0l2WcQm1nO7vXyZ"])]
    """The token that the proof was answered with."""


class InstructDelivery(DeliveryAccess):
    """What the driver reads at the door."""

    instruction: Annotated[str, StringConstraints(max_length=INSTRUCTION_MAX, pattern=NO_NUL)] = ""
    """A safe place, a gate code, how to find the door. It replaces what is there; empty takes it away."""
    neighbour: Annotated[str, StringConstraints(max_length=NEIGHBOUR_MAX, pattern=NO_NUL), OneLine] = ""
    """A neighbour who may take it, by name and door."""


class ChooseDeliveryWindow(DeliveryAccess):
    """Another time."""

    window_id: RecordId
    """One of the windows that can be taken."""


class OpenProofFile(DeliveryAccess):
    """A picture of the proof."""

    file_id: RecordId
    """One of the files that the delivery names."""


class DeliveryProof(Answer):
    """What proves that it was handed over."""

    at: Annotated[datetime | None, doc("When")]
    recipient: Annotated[str | None, doc("Who took it, as the driver wrote it down")]
    handed_to: Annotated[HandedTo | None, doc("Who received it, or where it was left")]
    left_at: Annotated[str | None, doc("The place where it was left")]
    pieces_left: Annotated[int, doc("The number of pieces that were not handed over")]
    outcome: Annotated[str | None, doc("The outcome in the caller's language", "Left with a neighbour: Ms Lee")]
    signature: Annotated[int | None, doc("The file with the signature")]
    photos: Annotated[list[int], doc("The files with photos")]


class Delivery(Answer):
    """A delivery, as its recipient sees it."""

    tracking_number: str
    status: Annotated[str, doc("Of the order", "PLANNED")]
    sender: Annotated[str | None, doc("Who sends it")]
    name: str
    address: Annotated[str, doc("Street, number and unit")]
    city: str
    postal_code: str | None
    day: date | None
    window_start: datetime | None
    window_end: datetime | None
    delivery_instruction: Annotated[str | None, doc("What the driver reads at the door")]
    proof: DeliveryProof | None
    choices: Annotated[list[str], doc("What can still be chosen", ["instruct", "choose_window"])]


class DeliveryAnswer(Answer):
    """The recipient's delivery."""

    result: bool = True
    delivery: Delivery


class DeliveryOpened(Answer):
    """Access to one delivery, for a short time."""

    result: bool = True
    access: Annotated[str, doc("The token for what follows; it opens this delivery alone")]
    expires_at: datetime
    delivery: Delivery


class DeliveryWindow(Answer):
    """A time that can be chosen."""

    id: int
    day: date
    starts_at: datetime
    ends_at: datetime


class DeliveryWindows(Answer):
    """The times that can be chosen."""

    result: bool = True
    windows: list[DeliveryWindow]


class OrderProofRef(Request):
    """Which order."""

    order_id: RecordId
    """The order's id."""


class OrderProofFileRef(OrderProofRef):
    """A picture of an order's proof."""

    file_id: RecordId
    """One of the files that the proof names."""


class OrderProof(Answer):
    """The proof of an order, for whoever sent it."""

    result: bool = True
    order_id: int
    tracking_number: str
    status: Annotated[str, doc("Of the order", "DELIVERED")]
    proof: Annotated[DeliveryProof | None, doc("Null while it is not delivered, or where nobody wrote one down")]
    page: Annotated[str, doc("The page that shows it to whoever signs in")]


class ProofFile(Answer):
    """A picture of the proof."""

    result: bool = True
    media_type: Annotated[str, doc("", "image/jpeg")]
    content: Annotated[str, doc("In base64")]

"""Request and response models of test mode."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId


class TestStatus(StrEnum):
    """A status that a test record can be moved to."""

    PICKED_UP = "picked_up"
    IN_TRANSIT = "in_transit"
    OUT_FOR_DELIVERY = "out_for_delivery"
    DELIVERED = "delivered"
    FAILED = "failed"
    RETURNED = "returned"
    REJECTED = "rejected"
    PAID = "paid"
    DECLINED = "declined"


class AdvanceTestRecord(Request):
    """A record of a test business to move. Exactly one record is named."""

    order_id: RecordId | None = None
    """ID of an order that is on no route."""
    tracking_number: Annotated[str, Field(min_length=1, max_length=100, examples=["HL7XK2M9QA"])] | None = None
    """Tracking number of a parcel or shipping label."""
    payment_id: RecordId | None = None
    """ID of an online payment."""
    to: Annotated[TestStatus, Field(examples=["delivered"])] | None = None
    """Status to reach, with all steps before it. Default: the next status."""


class AdvancedTestRecord(Answer):
    """A record that was moved."""

    result: bool = True
    previous_status: Annotated[str, doc("Status before the call.", "out_for_delivery")]
    status: Annotated[str, doc("Status after the call.", "delivered")]


class TestDataReset(Answer):
    """The result of a reset."""

    result: bool = True
    deleted: Annotated[int, doc("Number of deleted rows, in all tables.")]

"""Retention: requests and answers."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request

DAYS_MAX = 36_500
RetainedKind = Literal[
    "address_book",
    "address_imports",
    "agent_conversations",
    "audit_trail",
    "dataset_imports",
    "device_orders",
    "driver_events",
    "driver_positions",
    "idempotency_answers",
    "inbound_parcels",
    "label_parses",
    "locker_leases",
    "locker_parcels",
    "luggage_bookings",
    "messages",
    "order_chats",
    "order_contacts",
    "order_imports",
    "plan_searches",
    "proofs",
    "proposed_writes",
    "refused_pushes",
    "route_plans",
    "shipments",
    "shipping_quotes",
    "sign_ins",
    "sms_imports",
    "sms_messages",
    "storage_orders",
    "storage_quotes",
    "webhook_deliveries",
]
Days = Annotated[int, Field(ge=1, le=DAYS_MAX, examples=[365])]


class SetRetention(Request):
    """How long a kind of record is kept."""

    kind: RetainedKind
    """The kind of record."""
    days: Days
    """For how many days. Each kind has a least number."""


class PreviewRetention(Request):
    """Which kinds, and for how many days; without either, what the next round would do."""

    kind: RetainedKind | None = None
    """Only this kind of record."""
    days: Days | None = None
    """As if it were kept for so many days; goes with `kind`."""


class RetentionRecord(Answer):
    """How long a kind of record is kept."""

    kind: Annotated[str, doc("The kind of record.", "order_contacts")]
    meaning: Annotated[str, doc("What is deleted or erased, and what stays.")]
    days: Annotated[int, doc("For how many days it is kept.", 730)]
    default_days: Annotated[int, doc("For how many days it is kept where the business chose nothing.", 730)]
    minimum_days: Annotated[int, doc("The least that can be chosen.", 30)]
    last_run_at: Annotated[datetime | None, doc("When it was last looked at; null before the first round.")]
    removed: Annotated[int, doc("How many records were deleted or erased so far.")]


class Retention(Answer):
    """How long each kind of record is kept."""

    result: bool = True
    kinds: list[RetentionRecord]


class DueRecords(Answer):
    """What would go of one kind."""

    kind: Annotated[str, doc("The kind of record.", "order_contacts")]
    days: Annotated[int, doc("For how many days it is kept.", 730)]
    before: Annotated[datetime, doc("What is older goes.")]
    due: Annotated[int, doc("How many records would be deleted or erased.")]
    due_is_floor: Annotated[bool, doc("True where there are more: of very many orders the first 10,000 are looked at.")]


class RetentionPreview(Answer):
    """What would go."""

    result: bool = True
    kinds: list[DueRecords]

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
    """Retention of a kind of record."""

    kind: RetainedKind
    """The kind of record."""
    days: Days
    """Retention in days. Each kind has a minimum."""


class PreviewRetention(Request):
    """Kinds and days to preview. Default: the next run."""

    kind: RetainedKind | None = None
    """Only this kind of record."""
    days: Days | None = None
    """Preview as if records were stored for this many days. Requires `kind`."""


class RetentionRecord(Answer):
    """Retention of a kind of record."""

    kind: Annotated[str, doc("The kind of record.", "order_contacts")]
    meaning: Annotated[str, doc("Data that are deleted or erased, and data that are kept.")]
    days: Annotated[int, doc("Retention in days.", 730)]
    default_days: Annotated[int, doc("Default retention in days.", 730)]
    minimum_days: Annotated[int, doc("Minimum retention in days.", 30)]
    last_run_at: Annotated[datetime | None, doc("Time of the last run; null before the first.")]
    removed: Annotated[int, doc("Number of records deleted or erased so far.")]


class Retention(Answer):
    """Retention of each kind of record."""

    result: bool = True
    kinds: list[RetentionRecord]


class DueRecords(Answer):
    """Due records of a kind."""

    kind: Annotated[str, doc("The kind of record.", "order_contacts")]
    days: Annotated[int, doc("Retention in days.", 730)]
    before: Annotated[datetime, doc("Time before which records are due.")]
    due: Annotated[int, doc("Number of records to delete or erase.")]
    due_is_floor: Annotated[bool, doc("True if there are more: at most 10,000 orders are checked.")]


class RetentionPreview(Answer):
    """Records due for deletion."""

    result: bool = True
    kinds: list[DueRecords]

"""Tables of timelines and their rows."""

from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, String, Text, UniqueConstraint, func

from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, append_only_table, shared_table, tenant_table

NUMBER_MAX = 100
NUMBER_KEY_MAX = 3 * NUMBER_MAX
# Three times: a small letter can have up to three capitals.
CODE_MAX = 60
PARTITIONS = 16
"""Partitions of the events on PostgreSQL."""
# With 10 million events the index of each partition still fits into memory.

numbers = shared_table(
    "tracking_number",
    Column("number", String(NUMBER_MAX), nullable=False, unique=True, info=VOLATILE),
    Column("number_key", String(NUMBER_KEY_MAX), nullable=False, index=True, info=VOLATILE),
    Column("owner_client_id", Id, nullable=False),
    derived=True,
)
"""Numbers that clients track under: the public looks up by number alone. A number is unique on the platform, including
those of orders and packages. `number_key` is the form that all spellings share (`make_number_key`) and is used for
lookups. It is not unique: the exact number counts before other spellings, the older subject before the younger."""
plain_columns(numbers, "number", "number_key")

subjects = tenant_table(
    "tracking_subject",
    Column("tracking_number", String(NUMBER_MAX), nullable=False, info=VOLATILE),
    Column("number_key", String(NUMBER_KEY_MAX), nullable=False, server_default="", info=VOLATILE),
    Column("profile", String(20), nullable=False),
    Column("order_id", Id),
    Column("order_ref", String(100)),
    Column("package_id", Id),
    Column("external_number", String(NUMBER_MAX)),
    Column("sscc", String(NUMBER_MAX)),
    Column("customer_id", Id),
    Column("contractor_id", Id),
    Column("driver_id", Id),
    Column("replaced_by", String(NUMBER_MAX)),
    Column("created_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "tracking_number"),
    Index("ix_tracking_subject_key", "client_id", "number_key"),
    Index("ix_tracking_subject_order", "client_id", "order_id"),
    Index("ix_tracking_subject_ref", "client_id", "order_ref"),
)
"""Tracked subjects. `number_key` is as in `numbers`. `replaced_by` is the number under which it continues after it was
sent to another address. `customer_id`, `contractor_id` and `driver_id` are the users besides staff who may see
everything about it."""
personal_data(
    subjects,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER},
    gives={"id": PersonKey.PARCEL, "tracking_number": PersonKey.TRACKING_NUMBER},
    erased={},
    plain=("tracking_number", "number_key", "profile", "order_ref", "external_number", "sscc", "replaced_by"),
)

aliases = tenant_table(
    "tracking_alias",
    Column("number", String(NUMBER_MAX), nullable=False),
    Column("number_key", String(NUMBER_KEY_MAX), nullable=False, server_default=""),
    Column("subject_id", Id, nullable=False, index=True),
    UniqueConstraint("client_id", "number"),
    Index("ix_tracking_alias_key", "client_id", "number_key"),
)
"""Numbers that carriers and partners know a subject by; unique within a client. `number_key` is as that of a subject."""
plain_columns(aliases, "number", "number_key")

events = append_only_table(
    "tracking_event",
    Column("subject_id", Id, nullable=False),
    Column("event_id", String(40), nullable=False, info=VOLATILE),
    Column("occurred_at", UTCDateTime, nullable=False),
    Column("recorded_at", UTCDateTime, nullable=False),
    Column("status_code", String(CODE_MAX), nullable=False),
    Column("document", Text, nullable=False),
    Column("shown", Text),
    key=("subject_id", "event_id"),
    partitions=PARTITIONS,
)
"""Events. `event_id` is computed from the content, so repeats are one row. `shown` is the public part of the event, in
the protocol's own JSON, written once. `document` is the rest: laid over `shown` it is `WHOLE_EVENT`, the event as its
source reported it, with the offset of its time. If `shown` is null, `document` is the whole event: for events whose
code does not determine their order (`is_precomputable`), and for events recorded before `shown` existed or before the
public fields last changed."""
# Most readers are the public (docs/decisions/timelines.md).

WHOLE_EVENT: Any = func.coalesce(
    func.substr(events.c.shown, 1, func.length(events.c.shown) - 1)
    .concat(",")
    .concat(func.substr(events.c.document, 2)),
    events.c.document,
)
"""A whole event in the protocol's own JSON. A member may stand in it twice; msgspec takes the later one."""

corrections = append_only_table(
    "tracking_correction",
    Column("subject_id", Id, nullable=False),
    Column("correction_id", String(40), nullable=False, info=VOLATILE),
    Column("recorded_at", UTCDateTime, nullable=False),
    Column("document", Text, nullable=False),
    key=("subject_id", "correction_id"),
)
"""Error declarations. Each voids an event; the event itself stays in its table."""
plain_columns(corrections, "correction_id", "document")


class SubjectKeyRow(Row):
    """A subject and the numbers that it goes by."""

    id: int
    tracking_number: str
    external_number: str | None
    sscc: str | None
    order_id: int | None
    package_id: int | None
    replaced_by: str | None


class SubjectRow(SubjectKeyRow):
    """A subject with its events and corrections.

    JSON documents in no order, joined by commas; None for none.
    """

    client_id: int
    profile: str
    order_ref: str | None
    customer_id: int | None
    contractor_id: int | None
    driver_id: int | None
    events: str | None
    corrections: str | None


class PublicSubjectRow(SubjectKeyRow):
    """A subject with its public events, as `delimited_agg` joins them.

    Each with time, record time, code, and public content.
    """

    profile: str
    events: str | None
    corrected: bool


class SubjectFingerprintRow(SubjectKeyRow):
    """Number of events and corrections of a subject, and the last record time."""

    events: int
    recorded_at: datetime | None


class LockedSubjectRow(Row):
    """A subject of this client, locked until the transaction ends."""

    id: int
    tracking_number: str
    order_id: int | None
    package_id: int | None


class SubjectOwnerRow(Row):
    """The order and the customer of a subject."""

    id: int
    tracking_number: str
    order_id: int | None
    package_id: int | None
    customer_id: int | None


class PastRow(Row):
    """Newest record time of a subject, and 1 if any event is terminal, else 0."""

    subject_id: int
    recorded_at: datetime
    ends: int


class RecordedEventRow(Row):
    """Known data of a recorded event."""

    subject_id: int
    event_id: str
    occurred_at: datetime
    status_code: str

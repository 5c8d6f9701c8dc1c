"""The tables of SMS Marketing.

Consents and revocations are only ever added. A number is known by its `number_key` in every table, so that a revocation and a
suppression hold whatever becomes of the contact.
"""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Column, Index, String, Text, UniqueConstraint

from haulier.contexts.messaging.campaigns.rules.sms_regulations import KEY_CHARACTERS
from haulier.kernel.data.personal_data import ERASED, PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.tables import (
    VOLATILE,
    Json,
    directory_table,
    partial_unique_index,
    tenant_table,
)
from haulier.kernel.operations.enums import Feature
from haulier.kernel.operations.fields import NAME_MAX
from haulier.kernel.row_imports import import_columns, row_columns

PHONE_MAX, WORDING_MAX, TEXT_MAX, LINK_MAX = 20, 1000, 1600, 1000
NUMBER_KEY = String(KEY_CHARACTERS)


def _key() -> Column[Any]:
    return Column("number_key", NUMBER_KEY, nullable=False)


class SmsMarketingRow(
    Record,
    table="sms_marketing_setting",
    items=[UniqueConstraint("client_id"), UniqueConstraint("endpoint_key")],
    kind=directory_table,
    why="the path of a provider's notice says whose it is",
):
    """The settings of a client.

    One for each client. Its row is locked by whatever claims texts and by whatever takes a right to send away: so a
    claim sees every revocation that was made before it.
    """

    client_id: int
    endpoint_key: Annotated[str, Column("endpoint_key", String(60), nullable=False, info=VOLATILE)]
    business_name: Annotated[str, String(40)]
    help_contact: Annotated[str, String(80)]
    quiet_from: Annotated[str, String(8)] | None
    quiet_until: Annotated[str, String(8)] | None
    throttle_per_minute: int
    daily_cap: int
    contact_daily_cap: int
    segment_prices: dict[str, int]
    default_segment_price: int
    currency: Annotated[str, String(3)]
    us_registration: Annotated[str, String(40)] | None
    updated_at: datetime


settings = SmsMarketingRow.table


class SmsContactRow(Record, table="sms_contact", items=[UniqueConstraint("client_id", "number_key")]):
    """A contact.

    A number is never changed: consent belongs to it, and another number is another contact.
    """

    phone: Annotated[str, String(PHONE_MAX)]
    number_key: Annotated[str, _key()]
    country: Annotated[str, String(2)]
    name: Annotated[str, String(NAME_MAX)] | None
    language: Annotated[str, String(10)]
    time_zone: Annotated[str, String(64)] | None
    tags: list[str]
    tag_words: Annotated[str, String(2000)]
    variables: dict[str, str]
    source: Annotated[str, String(NAME_MAX)] | None
    created_at: datetime
    updated_at: datetime


contacts = SmsContactRow.table


class SmsConsentRow(
    Record,
    table="sms_consent",
    items=[Index("ix_sms_consent_number", "client_id", "number_key", "purpose", "granted", "occurred_at")],
):
    """A consent, or its revocation.

    Consents (`granted`) and revocations. Nothing here is ever changed.
    """

    phone: Annotated[str, String(PHONE_MAX)]
    number_key: Annotated[str, _key()]
    granted: bool
    purpose: Annotated[str, String(20)]
    basis: Annotated[str, String(20)] | None
    consent_key: Annotated[str, String(60)] | None
    method: Annotated[str, String(20)]
    wording: Annotated[str, String(WORDING_MAX)] | None
    source: Annotated[str, String(NAME_MAX)] | None
    proof: dict[str, str]
    occurred_at: datetime
    expires_at: datetime | None
    recorded_at: datetime
    recorded_by: Reference | None


consents = SmsConsentRow.table


class SmsSuppressionRow(Record, table="sms_suppression", items=[Index("ix_sms_suppression_added", "client_id", "id")]):
    """A number on a list."""

    phone: Annotated[str, String(PHONE_MAX)]
    number_key: Annotated[str, _key()]
    list: Annotated[str, String(20)]
    reason: Annotated[str, String(20)]
    note: Annotated[str, String(255)] | None
    added_at: datetime
    added_by: Reference | None
    lifted_at: datetime | None
    lifted_by: Reference | None
    lift_reason: Annotated[str, String(255)] | None


suppressions = SmsSuppressionRow.table
partial_unique_index(
    "uq_sms_suppression_in_force",
    suppressions.c.lifted_at.is_(None),
    suppressions.c.number_key,
    suppressions.c.list,
    suppressions.c.reason,
)


class SmsTemplateRow(Record, table="sms_template", items=[UniqueConstraint("client_id", "name")]):
    """A template."""

    name: Annotated[str, String(NAME_MAX)]
    purpose: Annotated[str, String(20)]
    texts: dict[str, str]
    language: Annotated[str, String(10)]
    updated_at: datetime


templates = SmsTemplateRow.table


class SmsSegmentRow(Record, table="sms_segment", items=[UniqueConstraint("client_id", "name")]):
    """A segment."""

    name: Annotated[str, String(NAME_MAX)]
    rules: dict[str, Any]
    updated_at: datetime


segments = SmsSegmentRow.table


class SmsCampaignRow(
    Record, table="sms_campaign", items=[Index("ix_sms_campaign_status", "client_id", "status", "starts_at")]
):
    """A campaign.

    `rules` are the segment's as they were when the campaign was scheduled. `round` numbers its jobs: one that is not of
    the newest round does nothing. `prepared_until` is the last contact that has a message; None once all have. `test`
    says which share tries the variants first, and how the one for the rest is chosen; until then the rest has no
    messages.
    """

    name: Annotated[str, String(NAME_MAX)]
    purpose: Annotated[str, String(20)]
    status: Annotated[str, String(20)]
    segment_id: BigInt | None
    rules: dict[str, Any] | None
    variants: list[dict[str, Any]]
    link_url: Annotated[str, String(LINK_MAX)] | None
    starts_at: datetime | None
    cost_cap_micros: BigInt | None
    pause_reason: Annotated[str, String(30)] | None
    round: int
    next_look_at: datetime | None
    places: list[str]
    prepared_until: BigInt | None
    prepared: int
    test: dict[str, Any] | None
    test_until: datetime | None
    winner: Annotated[str, String(1)] | None
    winner_by: Annotated[str, String(10)] | None
    winner_at: datetime | None
    created_by: Reference | None
    created_at: datetime
    scheduled_by: Reference | None
    begun_at: datetime | None
    finished_at: datetime | None


campaigns = SmsCampaignRow.table


class SmsMessageRow(
    Record,
    table="sms_message",
    items=[
        UniqueConstraint("client_id", "campaign_id", "number_key"),
        Index("ix_sms_message_fate", "client_id", "campaign_id", "state", "position"),
        Index("ix_sms_message_claimed", "client_id", "claimed_at"),
        Index("ix_sms_message_number", "client_id", "number_key", "claimed_at"),
        Index("ix_sms_message_reference", "client_id", "provider_ref"),
    ],
):
    """A message.

    One per recipient and campaign, by number, so that duplicate contacts receive a campaign once.
    """

    campaign_id: BigInt | None
    position: int
    contact_id: BigInt
    phone: Annotated[str, String(PHONE_MAX)]
    number_key: Annotated[str, _key()]
    country: Annotated[str, String(2)]
    place: Annotated[str, String(70)]
    purpose: Annotated[str, String(20)]
    variant: Annotated[str, String(1)] | None
    text: Annotated[str, String(TEXT_MAX)]
    segments: int
    cost_micros: BigInt
    link_key: Annotated[str | None, Column("link_key", String(8), info=VOLATILE)]
    state: Annotated[str, String(20)]
    reason: Annotated[str, String(40)] | None
    provider_ref: Annotated[str, String(100)] | None
    claimed_at: datetime | None
    sent_at: datetime | None
    settled_at: datetime | None
    clicks: int
    clicked_at: datetime | None
    opted_out_at: datetime | None
    created_at: datetime


messages = SmsMessageRow.table


class SmsReplyRow(
    Record,
    table="sms_reply",
    items=[
        UniqueConstraint("client_id", "provider_ref"),
        Index("ix_sms_reply_open", "client_id", "needs_person", "id"),
    ],
):
    """An answer."""

    phone: Annotated[str, String(PHONE_MAX)]
    number_key: Annotated[str, _key()]
    contact_id: BigInt | None
    campaign_id: BigInt | None
    text: Annotated[str, Text]
    meaning: Annotated[str, String(20)]
    provider_ref: Annotated[str, String(100)]
    received_at: datetime
    needs_person: bool
    resolution: Annotated[str, String(20)] | None
    resolved_at: datetime | None
    resolved_by: Reference | None


replies = SmsReplyRow.table
imports = tenant_table(
    "sms_contact_import",
    *import_columns("sms_contact_import"),
    Column("consent", Json),
)
import_rows = tenant_table("sms_contact_import_row", *row_columns("sms_contact_import_row"))

ALL_TABLES = (settings, contacts, consents, suppressions, templates, segments, campaigns, messages, replies, imports)
for _table in (*ALL_TABLES, import_rows):
    _table.info["feature"] = Feature.SMS_MARKETING.value

plain_columns(
    settings,
    *("endpoint_key", "business_name", "help_contact", "quiet_from", "quiet_until", "segment_prices", "currency"),
    "us_registration",
)
plain_columns(templates, "name", "purpose", "texts", "language")
plain_columns(segments, "name", "rules")
plain_columns(campaigns, "name", "purpose", "status", "rules", "variants", "link_url", "pause_reason", "places")
plain_columns(campaigns, "test", "winner", "winner_by")
plain_columns(imports, "kind", "consent", "encoding")
plain_columns(consents, "number_key", "purpose", "basis", "consent_key", "method")
plain_columns(suppressions, "number_key", "list", "reason")
plain_columns(
    messages, "number_key", "country", "place", "purpose", "variant", "link_key", "state", "reason", "provider_ref"
)
plain_columns(replies, "number_key", "meaning", "provider_ref", "resolution")

personal_data(
    contacts,
    RecordKind.SMS_CONTACTS,
    by={"phone": PersonKey.PHONE, "name": PersonKey.NAME},
    gives={"phone": PersonKey.PHONE},
)
personal_data(consents, RecordKind.SMS_CONTACTS, by={"phone": PersonKey.PHONE})
personal_data(
    suppressions,
    RecordKind.SMS_CONTACTS,
    by={"phone": PersonKey.PHONE},
    erased={"phone": ERASED, "note": None, "lift_reason": None},
)
personal_data(
    messages, RecordKind.SMS_MESSAGES, by={"phone": PersonKey.PHONE}, erased={"phone": ERASED, "text": ERASED}
)
personal_data(replies, RecordKind.SMS_MESSAGES, by={"phone": PersonKey.PHONE}, erased={"phone": ERASED, "text": ERASED})
retained(RecordKind.SMS_MESSAGES, messages.c.created_at, default_days=730, minimum_days=1)
retained(RecordKind.SMS_MESSAGES, replies.c.received_at, default_days=730, minimum_days=1)
retained(
    RecordKind.SMS_IMPORTS, imports.c.finished_at, children=(import_rows.c.import_id,), default_days=90, minimum_days=1
)

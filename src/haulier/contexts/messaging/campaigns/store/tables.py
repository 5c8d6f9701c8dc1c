"""The tables of SMS Marketing.

Consents and revocations are only ever added. A number is known by its `number_key` in every table, so that a revocation and a
suppression hold whatever becomes of the contact.
"""

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, Text, UniqueConstraint

from haulier.contexts.messaging.campaigns.rules.numbers import KEY_CHARACTERS
from haulier.kernel.data.personal_data import ERASED, PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.tables import (
    VOLATILE,
    Id,
    Json,
    UTCDateTime,
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


settings = directory_table(
    "sms_marketing_setting",
    Column("endpoint_key", String(60), nullable=False, info=VOLATILE),
    Column("business_name", String(40), nullable=False),
    Column("help_contact", String(80), nullable=False),
    Column("quiet_from", String(8)),
    Column("quiet_until", String(8)),
    Column("throttle_per_minute", Integer, nullable=False),
    Column("daily_cap", Integer, nullable=False),
    Column("contact_daily_cap", Integer, nullable=False),
    Column("segment_prices", Json, nullable=False),
    Column("default_segment_price", Integer, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("us_registration", String(40)),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id"),
    UniqueConstraint("endpoint_key"),
    why="the path of a provider's notice says whose it is",
)
"""One for each client. Its row is locked by whatever claims texts and by whatever takes a right to send away: so a claim sees
every revocation that was made before it."""
contacts = tenant_table(
    "sms_contact",
    Column("phone", String(PHONE_MAX), nullable=False),
    _key(),
    Column("country", String(2), nullable=False),
    Column("name", String(NAME_MAX)),
    Column("language", String(10), nullable=False),
    Column("time_zone", String(64)),
    Column("tags", Json, nullable=False),
    Column("tag_words", String(2000), nullable=False),
    Column("variables", Json, nullable=False),
    Column("source", String(NAME_MAX)),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "number_key"),
)
"""A number is never changed: consent belongs to it, and another number is another contact."""
consents = tenant_table(
    "sms_consent",
    Column("phone", String(PHONE_MAX), nullable=False),
    _key(),
    Column("granted", Boolean, nullable=False),
    Column("purpose", String(20), nullable=False),
    Column("basis", String(20)),
    Column("consent_key", String(60)),
    Column("method", String(20), nullable=False),
    Column("wording", String(WORDING_MAX)),
    Column("source", String(NAME_MAX)),
    Column("proof", Json, nullable=False),
    Column("occurred_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime),
    Column("recorded_at", UTCDateTime, nullable=False),
    Column("recorded_by", Id),
    Index("ix_sms_consent_number", "client_id", "number_key", "purpose", "granted", "occurred_at"),
)
"""Consents (`granted`) and revocations. Nothing here is ever changed."""
suppressions = tenant_table(
    "sms_suppression",
    Column("phone", String(PHONE_MAX), nullable=False),
    _key(),
    Column("list", String(20), nullable=False),
    Column("reason", String(20), nullable=False),
    Column("note", String(255)),
    Column("added_at", UTCDateTime, nullable=False),
    Column("added_by", Id),
    Column("lifted_at", UTCDateTime),
    Column("lifted_by", Id),
    Column("lift_reason", String(255)),
    Index("ix_sms_suppression_added", "client_id", "id"),
)
partial_unique_index(
    "uq_sms_suppression_in_force",
    suppressions.c.lifted_at.is_(None),
    suppressions.c.number_key,
    suppressions.c.list,
    suppressions.c.reason,
)
templates = tenant_table(
    "sms_template",
    Column("name", String(NAME_MAX), nullable=False),
    Column("purpose", String(20), nullable=False),
    Column("texts", Json, nullable=False),
    Column("language", String(10), nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "name"),
)
segments = tenant_table(
    "sms_segment",
    Column("name", String(NAME_MAX), nullable=False),
    Column("rules", Json, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "name"),
)
campaigns = tenant_table(
    "sms_campaign",
    Column("name", String(NAME_MAX), nullable=False),
    Column("purpose", String(20), nullable=False),
    Column("status", String(20), nullable=False),
    Column("segment_id", BigInteger),
    Column("rules", Json),
    Column("variants", Json, nullable=False),
    Column("link_url", String(LINK_MAX)),
    Column("starts_at", UTCDateTime),
    Column("cost_cap_micros", BigInteger),
    Column("pause_reason", String(30)),
    Column("round", Integer, nullable=False),
    Column("next_look_at", UTCDateTime),
    Column("places", Json, nullable=False),
    Column("prepared_until", BigInteger),
    Column("prepared", Integer, nullable=False),
    Column("test", Json),
    Column("test_until", UTCDateTime),
    Column("winner", String(1)),
    Column("winner_by", String(10)),
    Column("winner_at", UTCDateTime),
    Column("created_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("scheduled_by", Id),
    Column("begun_at", UTCDateTime),
    Column("finished_at", UTCDateTime),
    Index("ix_sms_campaign_status", "client_id", "status", "starts_at"),
)
"""`rules` are the segment's as they were when the campaign was scheduled. `round` numbers its jobs: one that is not of the
newest round does nothing. `prepared_until` is the last contact that has a message; None once all have.
`test` says which share tries the variants first, and how the one for the rest is chosen; until then the rest has no messages.
"""
messages = tenant_table(
    "sms_message",
    Column("campaign_id", BigInteger),
    Column("position", Integer, nullable=False),
    Column("contact_id", BigInteger, nullable=False),
    Column("phone", String(PHONE_MAX), nullable=False),
    _key(),
    Column("country", String(2), nullable=False),
    Column("place", String(70), nullable=False),
    Column("purpose", String(20), nullable=False),
    Column("variant", String(1)),
    Column("text", String(TEXT_MAX), nullable=False),
    Column("segments", Integer, nullable=False),
    Column("cost_micros", BigInteger, nullable=False),
    Column("link_key", String(8), info=VOLATILE),
    Column("state", String(20), nullable=False),
    Column("reason", String(40)),
    Column("provider_ref", String(100)),
    Column("claimed_at", UTCDateTime),
    Column("sent_at", UTCDateTime),
    Column("settled_at", UTCDateTime),
    Column("clicks", Integer, nullable=False),
    Column("clicked_at", UTCDateTime),
    Column("opted_out_at", UTCDateTime),
    Column("created_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "campaign_id", "number_key"),
    Index("ix_sms_message_fate", "client_id", "campaign_id", "state", "position"),
    Index("ix_sms_message_claimed", "client_id", "claimed_at"),
    Index("ix_sms_message_number", "client_id", "number_key", "claimed_at"),
    Index("ix_sms_message_reference", "client_id", "provider_ref"),
)
"""One for each recipient of a campaign, by the number: nobody gets a campaign twice, whatever contacts there are of them."""
replies = tenant_table(
    "sms_reply",
    Column("phone", String(PHONE_MAX), nullable=False),
    _key(),
    Column("contact_id", BigInteger),
    Column("campaign_id", BigInteger),
    Column("text", Text, nullable=False),
    Column("meaning", String(20), nullable=False),
    Column("provider_ref", String(100), nullable=False),
    Column("received_at", UTCDateTime, nullable=False),
    Column("needs_person", Boolean, nullable=False),
    Column("resolution", String(20)),
    Column("resolved_at", UTCDateTime),
    Column("resolved_by", Id),
    UniqueConstraint("client_id", "provider_ref"),
    Index("ix_sms_reply_open", "client_id", "needs_person", "id"),
)
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

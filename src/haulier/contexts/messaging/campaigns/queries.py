"""Reads of campaigns for other families."""

from collections.abc import Mapping, Sequence
from datetime import time
from typing import Any

import msgspec

from haulier.contexts.messaging.campaigns.contract.contacts import SmsContactRecord, SmsPermission
from haulier.contexts.messaging.campaigns.errors import SMS_MARKETING_NOT_SET_UP
from haulier.contexts.messaging.campaigns.rules.campaigns import AudienceRules, fill_variables, with_opt_out
from haulier.contexts.messaging.campaigns.rules.sms_regulations import (
    MessagePurpose,
    QuietHours,
    number_key,
    sufficient_keys,
)
from haulier.contexts.messaging.campaigns.store import campaigns as campaigns_store
from haulier.contexts.messaging.campaigns.store import contacts as contacts_store
from haulier.contexts.messaging.campaigns.store.contacts import ReachRow, SmsRights
from haulier.contexts.messaging.campaigns.store.tables import SmsContactRow, SmsMarketingRow, SmsSegmentRow
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Feature
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.operations.records import record


async def require_segment(call: Call, segment_id: int) -> SmsSegmentRow:
    """Return a segment of this client. Raises `NOT_FOUND`."""
    row = await SmsSegmentRow.get(call.work, segment_id)
    if row is None:
        raise record_not_found(sms_segment_id=segment_id)
    return row


def segment_rules(document: Mapping[str, Any]) -> AudienceRules:
    """Return the rules of a segment, as they are kept."""
    return msgspec.convert(document, AudienceRules)


async def load_reach(call: Call, rules: AudienceRules, purpose: MessagePurpose) -> Sequence[ReachRow]:
    """Return the number of matching contacts, and of those who can be reached now.

    By language and country.
    """
    countries = frozenset(rules.countries or await contacts_store.list_countries(call.work))
    keys = sufficient_keys(countries, purpose)
    return await contacts_store.count_reach(call.work, rules, purpose, call.now, keys)


async def require_contact(call: Call, contact_id: int) -> SmsContactRow:
    """Return a contact of this client. Raises `NOT_FOUND`."""
    row = await SmsContactRow.get(call.work, contact_id)
    if row is None:
        raise record_not_found(sms_contact_id=contact_id)
    return row


async def contact_records(call: Call, rows: Sequence[SmsContactRow]) -> list[SmsContactRecord]:
    """Contacts with what may be sent to each; two statements, however many there are."""
    countries, ids = frozenset(row.country for row in rows), [row.id for row in rows]
    rights = {
        purpose: await contacts_store.read_rights(
            call.work, ids, purpose, call.now, sufficient_keys(countries, purpose)
        )
        for purpose in MessagePurpose
    }
    return [
        record(
            SmsContactRecord,
            row,
            permissions=[_permission(purpose, rights[purpose][row.id]) for purpose in MessagePurpose],
            created_at=call.local_time(row.created_at),
            updated_at=call.local_time(row.updated_at),
        )
        for row in rows
    ]


def _permission(purpose: MessagePurpose, rights: SmsRights) -> SmsPermission:
    consented, suppressed = bool(rights.consented), bool(rights.suppressed)
    allowed = consented and not suppressed
    return SmsPermission(purpose=purpose, consented=consented, suppressed=suppressed, allowed=allowed)


async def require_settings(call: Call, *, lock: bool = False) -> SmsMarketingRow:
    """Return the settings of the business. Raises `SMS_MARKETING_NOT_SET_UP`."""
    row = await campaigns_store.get_settings_row(call.work, lock=lock)
    if row is None:
        raise SMS_MARKETING_NOT_SET_UP()
    return row


def quiet_hours(row: SmsMarketingRow) -> QuietHours | None:
    """Return the quiet hours that a business keeps beside the law's."""
    if row.quiet_from is None or row.quiet_until is None:
        return None
    return QuietHours(time.fromisoformat(row.quiet_from), time.fromisoformat(row.quiet_until))


def segment_price(row: SmsMarketingRow, country: str) -> int:
    """Return the price of a segment to a country, in millionths of the currency."""
    return row.segment_prices.get(country, row.default_segment_price)


async def is_number_suppressed(app: Application, client_id: int, phone: str) -> bool:
    """Return True if a number is fully suppressed by the client.

    Also while the family is disabled.
    """
    if Feature.SMS_MARKETING in app.modules_missing:
        return False
    async with app.database.read(client_id) as work:
        return await contacts_store.is_wholly_suppressed(work, number_key(client_id, phone))


SAMPLE_LINK = "/s/1-1-1-abcd"
"""A short link for previews, as long as most."""


def finished_text(
    app: Application,
    settings: SmsMarketingRow,
    text: str,
    values: Mapping[str, str],
    purpose: MessagePurpose,
    language: str,
) -> str:
    """Return a message with its variables.

    Marketing messages name their sender and the opt-out. Raises `MissingVariable`.
    """
    filled = fill_variables(text, values)
    if purpose is MessagePurpose.NOTIFICATION:
        return filled
    return with_opt_out(filled, app.catalogues.translate(language, "sms_opt_out_hint"), settings.business_name)

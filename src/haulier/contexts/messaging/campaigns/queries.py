"""Contacts as answers show them."""

from collections.abc import Sequence

from haulier.contexts.messaging.campaigns.contract.contacts import SmsContactRecord, SmsPermission
from haulier.contexts.messaging.campaigns.rules.laws import MessagePurpose, sufficient_keys
from haulier.contexts.messaging.campaigns.store import contacts as store
from haulier.contexts.messaging.campaigns.store.contacts import SmsRights
from haulier.contexts.messaging.campaigns.store.tables import SmsContactRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.operations.records import record


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
        purpose: await store.read_rights(call.work, ids, purpose, call.now, sufficient_keys(countries, purpose))
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

"""Segments, and whom they reach."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from haulier.contexts.messaging.campaigns.rules.audience import AudienceRules
from haulier.contexts.messaging.campaigns.rules.laws import MessagePurpose, sufficient_keys
from haulier.contexts.messaging.campaigns.store import contacts as contact_store
from haulier.contexts.messaging.campaigns.store.contacts import ReachRow
from haulier.contexts.messaging.campaigns.store.tables import SmsSegmentRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


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
    """Return the number of matching contacts, and how many of them texts of a purpose may go to now, by language and
    country.
    """
    countries = frozenset(rules.countries or await contact_store.list_countries(call.work))
    keys = sufficient_keys(countries, purpose)
    return await contact_store.count_reach(call.work, rules, purpose, call.now, keys)

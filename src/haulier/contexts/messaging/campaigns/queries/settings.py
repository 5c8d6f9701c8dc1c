"""What a business set for its texts, and through whom they go."""

from datetime import time

from haulier.contexts.messaging.campaigns.errors import SMS_MARKETING_NOT_SET_UP
from haulier.contexts.messaging.campaigns.rules.hours import QuietHours
from haulier.contexts.messaging.campaigns.store import settings as store
from haulier.contexts.messaging.campaigns.store.tables import SmsMarketingRow
from haulier.kernel.call import Call


async def require_settings(call: Call, *, lock: bool = False) -> SmsMarketingRow:
    """Return the settings of the business. Raises `SMS_MARKETING_NOT_SET_UP`."""
    row = await store.get_settings_row(call.work, lock=lock)
    if row is None:
        raise SMS_MARKETING_NOT_SET_UP()
    return row


def quiet_hours(row: SmsMarketingRow) -> QuietHours | None:
    """Return the quiet hours that a business keeps beside the law's."""
    if row.quiet_from is None or row.quiet_until is None:
        return None
    return QuietHours(time.fromisoformat(row.quiet_from), time.fromisoformat(row.quiet_until))


def segment_price(row: SmsMarketingRow, country: str) -> int:
    """What a segment to a country costs, in millionths of the currency."""
    return row.segment_prices.get(country, row.default_segment_price)

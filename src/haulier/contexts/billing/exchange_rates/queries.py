"""Conversions for other families and contexts."""

from datetime import date, timedelta

from haulier.contexts.billing.exchange_rates import store
from haulier.contexts.billing.exchange_rates.rules import (
    MAX_AGE_DAYS,
    Converted,
    convert_money,
    decimal_text,
    find_rate,
)
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money


async def convert(call: Call, money: Money, currency: str, on: date | None = None) -> Converted | None:
    """Return an amount in another currency, with the rate used.

    `on` defaults to today. Returns None if the business has no rate that is recent enough.
    """
    day = on or call.today
    age = await load_max_age_days(call)
    pair = (money.currency, currency)
    known = await store.list_usable_rates(call.work, pair, day - timedelta(days=age), day) if len({*pair}) > 1 else ()
    used = find_rate(known, *pair, day, age)
    if used is None:
        return None
    return Converted(
        money=convert_money(money, used, currency),
        rate=decimal_text(used.rate),
        source=used.source,
        valid_on=used.valid_on,
    )


async def load_max_age_days(call: Call) -> int:
    """Return the age in days up to which the business uses a rate."""
    row = await store.get_settings(call.work)
    return row.max_age_days if row else MAX_AGE_DAYS

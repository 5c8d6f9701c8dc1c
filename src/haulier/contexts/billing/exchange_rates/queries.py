"""Conversions for other families and contexts."""

from collections.abc import Collection, Sequence
from datetime import date, timedelta

from msgspec import Struct

from haulier.contexts.billing.exchange_rates import store
from haulier.contexts.billing.exchange_rates.rules import (
    MAX_AGE_DAYS,
    Converted,
    KnownRate,
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
    return (await load_conversions(call, {money.currency}, currency, on)).convert(money)


class Conversions(Struct, frozen=True, kw_only=True):
    """Conversions of several currencies into one, by the rates of a day."""

    currency: str
    day: date
    max_age_days: int
    known: Sequence[KnownRate]

    def convert(self, money: Money) -> Converted | None:
        """Return an amount in the currency, or None without a recent rate."""
        used = find_rate(self.known, money.currency, self.currency, self.day, self.max_age_days)
        if used is None:
            return None
        return Converted(
            money=convert_money(money, used, self.currency),
            rate=decimal_text(used.rate),
            source=used.source,
            valid_on=used.valid_on,
        )


async def load_conversions(call: Call, currencies: Collection[str], target: str, on: date | None = None) -> Conversions:
    """Return the conversions of currencies into one.

    Two statements; none if there is nothing to convert.
    """
    day, wanted = on or call.today, {*currencies, target}
    if len(wanted) == 1:
        return Conversions(currency=target, day=day, max_age_days=MAX_AGE_DAYS, known=())
    age = await load_max_age_days(call)
    known = await store.list_usable_rates(call.work, sorted(wanted), day - timedelta(days=age), day)
    return Conversions(currency=target, day=day, max_age_days=age, known=known)


async def load_max_age_days(call: Call) -> int:
    """Return the age in days up to which the business uses a rate."""
    row = await store.get_settings(call.work)
    return row.max_age_days if row else MAX_AGE_DAYS

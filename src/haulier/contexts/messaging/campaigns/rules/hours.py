"""Whether a text may be sent now, by the clock where its recipient is."""

from datetime import datetime, time
from functools import lru_cache
from zoneinfo import ZoneInfo

from babel.core import get_global
from msgspec import Struct

from haulier.contexts.messaging.campaigns.rules.laws import law_of
from haulier.contexts.messaging.campaigns.rules.number_zones import zones_of_number

ZONES_MAX = 64
"""Characters: a place is kept with every text."""


class QuietHours(Struct, frozen=True):
    """Hours in which a business sends nothing, local to the recipient; over midnight where `begin` is the later one."""

    begin: time
    end: time

    def holds(self, moment: time) -> bool:
        """Whether a time of day lies in them."""
        if self.begin <= self.end:
            return self.begin <= moment < self.end
        return moment >= self.begin or moment < self.end


@lru_cache(maxsize=256)
def zones_of_country(country: str) -> tuple[str, ...]:
    """Return the time zones in which a number of a country may be."""
    return tuple(sorted(get_global("territory_zones").get(country, ()))) or ("UTC",)


def place_key(country: str, time_zone: str | None, phone: str) -> str:
    """Where a recipient is, as far as hours depend on it: the country, and the time zones where they are known.

    A contact's own zone comes before those of the number's area. More zones than fit say no more than the country.
    """
    zones = time_zone or ",".join(zones_of_number(phone))
    return f"{country}|{zones if len(zones) <= ZONES_MAX else ''}"


def may_send_now(place: str, now: datetime, quiet: QuietHours | None) -> bool:
    """Whether the law of the place and the business allow a text now.

    Where several time zones are possible, it must be allowed in each: those of the number's area, else those of the country.
    """
    country, _, known = place.partition("|")
    zones = known.split(",") if known else zones_of_country(country)
    return all(_allowed(country, now.astimezone(ZoneInfo(name)), quiet) for name in zones)


def _allowed(country: str, local: datetime, quiet: QuietHours | None) -> bool:
    moment = local.time()
    lawful = any(hours.begin <= moment < hours.end and local.weekday() in hours.days for hours in law_of(country).hours)
    return lawful and not (quiet and quiet.holds(moment))

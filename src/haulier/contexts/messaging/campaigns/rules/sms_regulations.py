"""Rules of campaigns: laws.

`statute` names what a line rests on. Where a country sets no hours, the hours here are cautious ones, and
`hours_by_law` says so. A business can be stricter (its own quiet hours), never laxer.

The facts stand in `number_zones.json`, which `scripts/number_zones.py` derives from phonenumbers; read when first used.
"""

import json
from collections.abc import Mapping
from datetime import datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from babel.core import get_global
from msgspec import Struct

from haulier.late_import import LateMapping, LateModule

if TYPE_CHECKING:
    import phonenumbers
    from phonenumbers import phonenumberutil
else:
    phonenumbers, phonenumberutil = map(LateModule, ("phonenumbers", "phonenumbers.phonenumberutil"))

if TYPE_CHECKING:
    import phonenumbers
else:
    phonenumbers = LateModule("phonenumbers")


class ConsentBasis(StrEnum):
    """Legal basis of a consent."""

    EXPRESS_WRITTEN = "express_written"
    """Agreed in writing, a signature by form, text or e-mail among it."""
    EXPRESS = "express"
    """Explicit agreement, for example by phone."""
    EXISTING_CUSTOMER = "existing_customer"
    """Customer of a similar product who was informed and did not object."""
    IMPLIED_PURCHASE = "implied_purchase"
    """Bought something within two years."""
    IMPLIED_INQUIRY = "implied_inquiry"
    """Asked about something within six months."""


class MessagePurpose(StrEnum):
    """Purpose of a message. Consent to one purpose does not cover others."""

    MARKETING = "marketing"
    NOTIFICATION = "notification"


class SendingHours(Struct, frozen=True):
    """When texts may be sent, local to the recipient. `days` counts from Monday as 0."""

    begin: time
    end: time
    days: frozenset[int] = frozenset(range(7))


class SmsRegulation(Struct, frozen=True, kw_only=True):
    """Rules of one country for marketing by SMS."""

    statute: str
    bases: frozenset[ConsentBasis]
    hours: tuple[SendingHours, ...]
    hours_by_law: bool = False
    registration: bool = False
    """True if carriers require a registered sender before a campaign (10DLC)."""
    honour_days: int = 10
    """Within how many business days a revocation must be honoured. Here it counts at once."""


_B = ConsentBasis
_STRICT = frozenset({_B.EXPRESS_WRITTEN})
_EXPRESS = frozenset({_B.EXPRESS_WRITTEN, _B.EXPRESS})
_SOFT = _EXPRESS | {_B.EXISTING_CUSTOMER}
_IMPLIED = _EXPRESS | {_B.IMPLIED_PURCHASE, _B.IMPLIED_INQUIRY}
_WORKDAYS, _NO_SUNDAY = frozenset(range(5)), frozenset(range(6))


def _hours(begin: str, end: str, days: frozenset[int] = frozenset(range(7))) -> SendingHours:
    return SendingHours(time.fromisoformat(begin), time.fromisoformat(end), days)


_EU_HOURS = (_hours("09:00", "20:00", _NO_SUNDAY),)
_EU = SmsRegulation(statute="Directive 2002/58/EC, article 13", bases=_SOFT, hours=_EU_HOURS)
DEFAULT_REGULATION = SmsRegulation(
    statute="none known; express consent is asked for", bases=_EXPRESS, hours=(_hours("09:00", "20:00", _NO_SUNDAY),)
)
REGULATIONS: Mapping[str, SmsRegulation] = {
    "US": SmsRegulation(
        statute="TCPA, 47 CFR 64.1200",
        bases=_STRICT,
        hours=(_hours("08:00", "21:00"),),
        hours_by_law=True,
        registration=True,
    ),
    "CA": SmsRegulation(
        statute="CASL, S.C. 2010, c. 23",
        bases=_IMPLIED,
        hours=(_hours("09:00", "21:30", _WORKDAYS), _hours("10:00", "18:00", frozenset({5, 6}))),
    ),
    "GB": SmsRegulation(statute="PECR 2003, regulation 22", bases=_SOFT, hours=(_hours("08:00", "21:00"),)),
    "FR": SmsRegulation(
        statute="CPCE, article L34-5", bases=_SOFT, hours=(_hours("08:00", "20:00", _NO_SUNDAY),), hours_by_law=False
    ),
    "DE": SmsRegulation(statute="UWG, section 7", bases=_SOFT, hours=(_hours("08:00", "20:00", _NO_SUNDAY),)),
    "ES": SmsRegulation(statute="LSSI 34/2002, article 21", bases=_SOFT, hours=(_hours("09:00", "21:00", _NO_SUNDAY),)),
    "CN": SmsRegulation(statute="MIIT order 31 (2015)", bases=_EXPRESS, hours=(_hours("08:00", "20:00"),)),
    "HK": SmsRegulation(statute="UEMO, cap. 593", bases=_EXPRESS, hours=(_hours("09:00", "20:00"),)),
    "TW": SmsRegulation(statute="PDPA, article 20", bases=_EXPRESS, hours=(_hours("09:00", "20:00"),)),
    **dict.fromkeys(
        [
            "AT",
            "BE",
            "BG",
            "CY",
            "CZ",
            "DK",
            "EE",
            "FI",
            "GR",
            "HR",
            "HU",
            "IE",
            "IT",
            "LT",
            "LU",
            "LV",
            "MT",
            "NL",
            "PL",
            "PT",
            "RO",
            "SE",
            "SI",
            "SK",
        ],
        _EU,
    ),
}
NOTIFICATION_BASES = frozenset(ConsentBasis)
LONGEST: Mapping[ConsentBasis, timedelta] = {
    ConsentBasis.IMPLIED_PURCHASE: timedelta(days=730),
    ConsentBasis.IMPLIED_INQUIRY: timedelta(days=183),
}
"""Consents that end by themselves, at the latest after so long."""


def regulation_for(country: str) -> SmsRegulation:
    """Return the rules of a country.

    For unknown countries, express consent and cautious hours.
    """
    return REGULATIONS.get(country, DEFAULT_REGULATION)


def sufficient_bases(country: str, purpose: MessagePurpose) -> frozenset[ConsentBasis]:
    """Return the sufficient consent bases for a purpose and country."""
    return regulation_for(country).bases if purpose is MessagePurpose.MARKETING else NOTIFICATION_BASES


def consent_key(country: str, purpose: MessagePurpose, basis: ConsentBasis) -> str:
    """Return the search key of a consent: country, purpose and basis."""
    return f"{country}:{purpose.value}:{basis.value}"


def sufficient_keys(countries: frozenset[str], purpose: MessagePurpose) -> list[str]:
    """Return the keys of all consents that are sufficient in some countries today."""
    return sorted(
        consent_key(country, purpose, basis) for country in countries for basis in sufficient_bases(country, purpose)
    )


LONGEST_PREFIX = 8


def _by_prefix() -> Mapping[str, tuple[str, ...]]:
    text = files("haulier.contexts.messaging.campaigns.rules").joinpath("number_zones.json").read_text("utf-8")
    zones: Mapping[str, str] = json.loads(text)["zones"]
    return {prefix: tuple(names.split(",")) for names, prefixes in zones.items() for prefix in prefixes.split()}


_zones = LateMapping(_by_prefix)


@lru_cache(maxsize=4096)
def zones_of_number(phone: str) -> tuple[str, ...]:
    """Return the time zones of the area of a number in E.164.

    Empty where the number says no more than its country does: of a country with one zone, of a mobile network that
    is not bound to an area, of a service.
    """
    number = phonenumbers.parse(phone, None)
    kind = phonenumberutil.number_type(number)
    if not phonenumberutil.is_number_type_geographical(kind, number.country_code or 0):
        return ()
    prefixes = (phone[1:end] for end in range(LONGEST_PREFIX + 1, 1, -1))
    return next((_zones[prefix] for prefix in prefixes if prefix in _zones), ())


ZONES_MAX = 64
"""Characters: a place is kept with every text."""


class QuietHours(Struct, frozen=True):
    """Hours in which a business sends nothing, local to the recipient.

    Past midnight if `begin` is the later one.
    """

    begin: time
    end: time

    def holds(self, moment: time) -> bool:
        """Return True if a time of day is within the hours."""
        if self.begin <= self.end:
            return self.begin <= moment < self.end
        return moment >= self.begin or moment < self.end


@lru_cache(maxsize=256)
def zones_of_country(country: str) -> tuple[str, ...]:
    """Return the time zones in which a number of a country may be."""
    return tuple(sorted(get_global("territory_zones").get(country, ()))) or ("UTC",)


def place_key(country: str, time_zone: str | None, phone: str) -> str:
    """Return the country of a recipient, and the time zones if known.

    The contact's own zone comes before those of the number's area. Too many zones count as the country.
    """
    zones = time_zone or ",".join(zones_of_number(phone))
    return f"{country}|{zones if len(zones) <= ZONES_MAX else ''}"


def may_send_now(place: str, now: datetime, quiet: QuietHours | None) -> bool:
    """Return True if the law of the place and the business allow a message now.

    With several possible time zones, it must be allowed in each. Those of the number's area count, else those of the
    country.
    """
    country, _, known = place.partition("|")
    zones = known.split(",") if known else zones_of_country(country)
    return all(_allowed(country, now.astimezone(ZoneInfo(name)), quiet) for name in zones)


def _allowed(country: str, local: datetime, quiet: QuietHours | None) -> bool:
    moment = local.time()
    lawful = any(
        hours.begin <= moment < hours.end and local.weekday() in hours.days for hours in regulation_for(country).hours
    )
    return lawful and not (quiet and quiet.holds(moment))


KEY_CHARACTERS = 32


def number_key(client_id: int, phone: str) -> str:
    """Return the key of an E.164 number for one client.

    The number cannot be read from the key, only tested. Erased people must stay suppressed, and a clear-text list would
    retain their numbers.
    """
    digest = blake2b(phone.encode(), digest_size=KEY_CHARACTERS // 2, key=f"sms:{client_id}".encode())
    return digest.hexdigest()


def country_of(phone: str) -> str:
    """Return the country of an E.164 number (ISO 3166-1 alpha-2).

    `ZZ` for numbers of no country, such as satellite phones.
    """
    parsed = phonenumbers.parse(phone, None)
    return phonenumbers.region_code_for_number(parsed) or "ZZ"

"""What the law asks of texts, by the country of the recipient's number: a table, so that a change of law is a change of data.

`statute` names what a line rests on. Where a country sets no hours, the hours here are cautious ones, and
`hours_by_law` says so. A business can be stricter (its own quiet hours), never laxer.
"""

from collections.abc import Mapping
from datetime import time, timedelta
from enum import StrEnum

from msgspec import Struct


class ConsentBasis(StrEnum):
    """What a consent rests on."""

    EXPRESS_WRITTEN = "express_written"
    """Agreed in writing, a signature by form, text or e-mail among it."""
    EXPRESS = "express"
    """Agreed in so many words, such as on the telephone."""
    EXISTING_CUSTOMER = "existing_customer"
    """Bought something like it, was told and did not object."""
    IMPLIED_PURCHASE = "implied_purchase"
    """Bought something within two years."""
    IMPLIED_INQUIRY = "implied_inquiry"
    """Asked about something within six months."""


class MessagePurpose(StrEnum):
    """What a text is for. Consent to one is none to the other."""

    MARKETING = "marketing"
    NOTIFICATION = "notification"


class SendingHours(Struct, frozen=True):
    """When texts may be sent, local to the recipient. `days` counts from Monday as 0."""

    begin: time
    end: time
    days: frozenset[int] = frozenset(range(7))


class TextLaw(Struct, frozen=True, kw_only=True):
    """What one country asks of marketing by text."""

    statute: str
    bases: frozenset[ConsentBasis]
    hours: tuple[SendingHours, ...]
    hours_by_law: bool = False
    registration: bool = False
    """Whether the sender must be registered with the carriers before a campaign (10DLC)."""
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
_EU = TextLaw(statute="Directive 2002/58/EC, article 13", bases=_SOFT, hours=_EU_HOURS)
DEFAULT_LAW = TextLaw(
    statute="none known; express consent is asked for", bases=_EXPRESS, hours=(_hours("09:00", "20:00", _NO_SUNDAY),)
)
LAWS: Mapping[str, TextLaw] = {
    "US": TextLaw(
        statute="TCPA, 47 CFR 64.1200",
        bases=_STRICT,
        hours=(_hours("08:00", "21:00"),),
        hours_by_law=True,
        registration=True,
    ),
    "CA": TextLaw(
        statute="CASL, S.C. 2010, c. 23",
        bases=_IMPLIED,
        hours=(_hours("09:00", "21:30", _WORKDAYS), _hours("10:00", "18:00", frozenset({5, 6}))),
    ),
    "GB": TextLaw(statute="PECR 2003, regulation 22", bases=_SOFT, hours=(_hours("08:00", "21:00"),)),
    "FR": TextLaw(
        statute="CPCE, article L34-5", bases=_SOFT, hours=(_hours("08:00", "20:00", _NO_SUNDAY),), hours_by_law=False
    ),
    "DE": TextLaw(statute="UWG, section 7", bases=_SOFT, hours=(_hours("08:00", "20:00", _NO_SUNDAY),)),
    "ES": TextLaw(statute="LSSI 34/2002, article 21", bases=_SOFT, hours=(_hours("09:00", "21:00", _NO_SUNDAY),)),
    "CN": TextLaw(statute="MIIT order 31 (2015)", bases=_EXPRESS, hours=(_hours("08:00", "20:00"),)),
    "HK": TextLaw(statute="UEMO, cap. 593", bases=_EXPRESS, hours=(_hours("09:00", "20:00"),)),
    "TW": TextLaw(statute="PDPA, article 20", bases=_EXPRESS, hours=(_hours("09:00", "20:00"),)),
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


def law_of(country: str) -> TextLaw:
    """What a country asks; where nothing is known, express consent and cautious hours."""
    return LAWS.get(country, DEFAULT_LAW)


def sufficient_bases(country: str, purpose: MessagePurpose) -> frozenset[ConsentBasis]:
    """What a consent must rest on for texts of a purpose to a country."""
    return law_of(country).bases if purpose is MessagePurpose.MARKETING else NOTIFICATION_BASES


def consent_key(country: str, purpose: MessagePurpose, basis: ConsentBasis) -> str:
    """How a consent is found by what is sufficient: country, purpose and basis in one text."""
    return f"{country}:{purpose.value}:{basis.value}"


def sufficient_keys(countries: frozenset[str], purpose: MessagePurpose) -> list[str]:
    """Return the keys of all consents that the law of some countries takes today for a purpose."""
    return sorted(
        consent_key(country, purpose, basis) for country in countries for basis in sufficient_bases(country, purpose)
    )

"""Addresses and phone numbers in the forms of carriers."""

import re
import textwrap

from haulier.contexts.shipping.ports import CarrierRefused, Party, Shipment
from haulier.contexts.shipping.public import make_own_message

_POST_NAMES = (
    "anpost auspost australiapost bpost canadapost colissimo correos deutschepost endicia hongkongpost japanpost laposte "
    "newzealandpost nzpost posteitaliane postnl postnord royalmail singaporepost singpost stampscom swisspost usps"
)
_POSTS = frozenset(_POST_NAMES.split())
_HANDED_TO_A_POST = ("surepost", "groundsaver", "smartpost", "groundeconomy", "mailinnovations", "usps")
_EXTENSION = re.compile(r"(?:\b(?:extension|extn?|poste)|x|;ext=|#)[.: ]*(\d{1,7})\s*$", re.IGNORECASE)


def street_lines(party: Party, where: str, width: int, lines: int) -> list[str]:
    """Split the street into at most `lines` lines of `width` characters.

    Lines break between words. Raises `CarrierRefused` if the street does not fit, because a truncated address cannot be
    delivered. `where` is `sender` or `recipient`.
    """
    parted = [part for line in (party.street, party.street2) for part in textwrap.wrap(line, width)]
    if not parted or len(parted) > lines:
        refused = make_own_message(
            "carrier.street_too_long",
            "street_too_long",
            field=f"{where}.street",
            lines=str(lines),
            width=str(width),
        )
        raise CarrierRefused((refused,))
    return parted


def person_and_company(party: Party, width: int) -> tuple[str, str]:
    """Return the company, or else the name, and the contact's name."""
    return (party.company or party.name)[:width], party.name[:width]


def digits(phone: str) -> str:
    """Return the digits of a phone number."""
    return "".join(filter(str.isdigit, phone))


def split_phone(phone: str) -> tuple[str, str]:
    """Split a phone number into number and extension: `+1 617 555 0100 ext. 12`."""
    found = _EXTENSION.search(phone)
    return (phone[: found.start()].rstrip(" ,;"), found[1]) if found else (phone, "")


def require_values_in(shipment: Shipment, currency: str, carrier: str) -> None:
    """Raise `CarrierRefused` if a declared value is in another currency."""
    values = [each.declared_value for each in shipment.parcels if each.declared_value and each.declared_value.minor]
    foreign = sorted({value.currency for value in values} - {currency})
    if foreign:
        refused = make_own_message(
            "carrier.declared_value_currency",
            "declared_value_currency",
            field="packages.declared_value",
            carrier=carrier,
            currency=currency,
            given=", ".join(foreign),
        )
        raise CarrierRefused((refused,))


def crosses_border(sender: Party, recipient: Party) -> bool:
    """Return True if sender and recipient are in different countries."""
    return sender.country != recipient.country


def delivers_to_po_boxes(carrier: str, service: str) -> bool:
    """Return True for posts, and for services of couriers that hand over to a post."""
    names = ["".join(filter(str.isalnum, text)).casefold() for text in (carrier, service)]
    return names[0] in _POSTS or any(hybrid in names[1] for hybrid in _HANDED_TO_A_POST)


def given(**values: object) -> dict[str, object]:
    """Return the values that are not empty: carriers reject empty strings."""
    return {name: value for name, value in values.items() if value not in ("", None, [], {})}

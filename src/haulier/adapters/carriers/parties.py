"""Addresses in the lines that carriers have."""

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
    """The street in so many lines of so many characters, parted between words.

    Raises `CarrierRefused` for what does not fit: half an address is delivered nowhere. `where` is `sender` or `recipient`.
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
    """The name that stands first, a company's where there is one, and whom to ask for there."""
    return (party.company or party.name)[:width], party.name[:width]


def digits(phone: str) -> str:
    """A phone number without signs."""
    return "".join(filter(str.isdigit, phone))


def split_phone(phone: str) -> tuple[str, str]:
    """Return a telephone number without its extension, and the extension's digits: `+1 617 555 0100 ext. 12`."""
    found = _EXTENSION.search(phone)
    return (phone[: found.start()].rstrip(" ,;"), found[1]) if found else (phone, "")


def require_values_in(shipment: Shipment, currency: str, carrier: str) -> None:
    """Refuse declared values in another currency than the one that the carrier takes them in. Raises `CarrierRefused`."""
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
    """Whether customs are concerned."""
    return sender.country != recipient.country


def delivers_to_po_boxes(carrier: str, service: str) -> bool:
    """Return True for posts, and for services of couriers that hand over to a post."""
    names = ["".join(filter(str.isalnum, text)).casefold() for text in (carrier, service)]
    return names[0] in _POSTS or any(hybrid in names[1] for hybrid in _HANDED_TO_A_POST)


def given(**values: object) -> dict[str, object]:
    """Those that are there: carriers refuse empty texts."""
    return {name: value for name, value in values.items() if value not in ("", None, [], {})}

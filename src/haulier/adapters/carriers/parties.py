"""Addresses in the lines that carriers have."""

import re
import textwrap

from haulier.contexts.shipping.ports import CarrierMessage, CarrierRefused, Party, Severity

_EXTENSION = re.compile(r"(?:\b(?:extension|extn?|poste)|x|;ext=|#)[.: ]*(\d{1,7})\s*$", re.IGNORECASE)


def street_lines(party: Party, where: str, width: int, lines: int) -> list[str]:
    """The street in so many lines of so many characters, parted between words.

    Raises `CarrierRefused` for what does not fit: half an address is delivered nowhere. `where` is `sender` or `recipient`.
    """
    parted = [part for line in (party.street, party.street2) for part in textwrap.wrap(line, width)]
    if not parted or len(parted) > lines:
        text = f"The street must fit into {lines} lines of {width} characters."
        raise CarrierRefused((CarrierMessage(text, "street_too_long", Severity.ERROR, f"{where}.street"),))
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


def crosses_border(sender: Party, recipient: Party) -> bool:
    """Whether customs are concerned."""
    return sender.country != recipient.country


def given(**values: object) -> dict[str, object]:
    """Those that are there: carriers refuse empty texts."""
    return {name: value for name, value in values.items() if value not in ("", None, [], {})}

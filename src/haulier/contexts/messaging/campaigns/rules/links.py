"""Short links: whose, of which campaign, of which recipient, and a few signs that nobody guesses."""

import re

from msgspec import Struct

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_CODE = re.compile(r"([0-9a-z]{1,11})-([0-9a-z]{1,11})-([0-9a-z]{1,6})-([0-9a-z]{4,8})")


class LinkCode(Struct, frozen=True):
    """The parts of a short link."""

    client_id: int
    campaign_id: int
    position: int
    link_key: str

    def __str__(self) -> str:
        numbers = (self.client_id, self.campaign_id, self.position)
        return "-".join([*map(_base_36, numbers), self.link_key])


def parse_link_code(code: str) -> LinkCode | None:
    """Return the parts of a short link; None for a text that is none."""
    found = _CODE.fullmatch(code)
    if found is None:
        return None
    client, campaign, position = (int(part, 36) for part in found.groups()[:3])
    return LinkCode(client, campaign, position, found.group(4)) if max(client, campaign) < 2**53 else None


def _base_36(number: int) -> str:
    digits = ""
    while number or not digits:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return digits

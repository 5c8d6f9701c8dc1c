"""Topics and tickets of the broker."""

import re
from datetime import timedelta

from msgspec import Struct

TICKET_LIFETIME = timedelta(minutes=10)
LEVEL = re.compile(r"[A-Za-z0-9_-]{1,64}")


def make_topic(*levels: object) -> str:
    """Return a topic of these levels.

    Raises `ValueError` for a level that another broker could read as more than itself.
    """
    texts = [str(level) for level in levels]
    if wrong := [text for text in texts if not LEVEL.fullmatch(text)]:
        raise ValueError(f"not a level of a topic: {wrong[0]!r}")
    return "/".join(texts)


class TicketHolder(Struct, frozen=True, kw_only=True):
    """Subject and holder of a ticket: `("order_chat", 62)` for `driver:7`."""

    about: str
    about_id: int
    holder: str

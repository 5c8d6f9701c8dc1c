"""What access needs from outside."""

from typing import Protocol

from msgspec import Struct

from haulier.kernel.call import Call


class MailMessage(Struct, frozen=True, kw_only=True):
    """A letter by e-mail, in plain text."""

    to: str
    subject: str
    text: str


class Mailer(Protocol):
    """Carries letters to people."""

    async def send(self, mail: MailMessage) -> None:
        """Hand a letter over. Raises `OSError` when nobody takes it now; the errand then tries again."""
        ...


class OrderActivity(Protocol):
    """Has a business begun to trade?"""

    async def has_orders(self, call: Call) -> bool:
        """Whether the client of the call has any order."""
        ...

"""What identity needs from outside."""

from typing import Protocol

from msgspec import Struct

from haulier.kernel.call import Call


class MailMessage(Struct, frozen=True, kw_only=True):
    """An e-mail in plain text."""

    to: str
    subject: str
    text: str


class Mailer(Protocol):
    """Sends e-mails."""

    async def send(self, mail: MailMessage) -> None:
        """Hand an e-mail to the mail server. Raises `OSError` when it does not take it now; the job then tries again."""
        ...


class OrderActivity(Protocol):
    """Whether a client has orders."""

    async def has_orders(self, call: Call) -> bool:
        """Whether the client of the call has any order."""
        ...


class DriverRecords(Protocol):
    """Which driver signs in with an account."""

    async def get_driver_id(self, call: Call, user_id: int) -> int | None:
        """The id of the driver who signs in with this account, or None."""
        ...

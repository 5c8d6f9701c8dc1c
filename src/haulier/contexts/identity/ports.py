"""Ports of identity."""

from typing import Annotated, Protocol

from msgspec import Struct

from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.enums import Account, Module
from haulier.rendering.mail import MailBrand


class MailAttachment(Struct, frozen=True, kw_only=True):
    """A file that goes with an e-mail. `media_type` of RFC 6838."""

    name: str
    media_type: str
    content: bytes


class MailMessage(Struct, frozen=True, kw_only=True):
    """An email in plain text and HTML, with files.

    The HTML part is made of the text on sending, in the brand of the business `client_id`.
    """

    to: str
    subject: str
    text: str
    html: str = ""
    client_id: int | None = None
    language: str = ""
    action: str = ""
    """Label of the button for the link; without it, the link is its own label."""
    facts: tuple[tuple[str, str], ...] = ()
    """Names and values that the text also has, shown as a card."""
    attachments: tuple[MailAttachment, ...] = ()


class Mailer(Protocol):
    """Sends e-mails."""

    async def send(self, mail: MailMessage) -> None:
        """Send an email. Raises `OSError` if the server does not accept it now.

        The job then retries.
        """
        ...


class MailBrands(Protocol):
    """Brands of businesses in emails."""

    async def find(self, app: Application, client_id: int) -> MailBrand:
        """Return the brand of a business."""
        ...


class Operators(Struct, frozen=True):
    """Admins who manage the server.

    Their email addresses are in lower case. Empty if the setting is absent.
    """

    emails: frozenset[str]


class OrderActivity(Protocol):
    """Port that reports if a client has orders."""

    async def has_orders(self, call: Call) -> bool:
        """Return True if the client has any order."""
        ...


class DriverRecords(Protocol):
    """Port that finds the driver of an account."""

    async def get_driver_id(self, call: Call, user_id: int) -> int | None:
        """Return the id of the driver with this account, or None."""
        ...


class LeftBehind(Answer):
    """Work of a disabled user or module, and what happened to it."""

    orders_given_back: Annotated[int, doc("Number of released orders, which returned to the pool.")] = 0
    orders_on_routes: Annotated[int, doc("Number of orders that stay on their routes.")] = 0
    routes_given_back: Annotated[
        list[int], doc("Routes that had not started: cancelled for a contractor, unassigned for a driver.")
    ] = []
    routes_under_way: Annotated[
        list[int], doc("Routes in progress. Reassign or cancel them if they have no driver.")
    ] = []
    cash_minor: Annotated[
        int, doc("Cash on delivery that they or their drivers hold and must hand in, in minor units.")
    ] = 0


class WorkRelease(Protocol):
    """Port that releases the work of users and modules."""

    async def release_for_user(self, call: Call, user_id: int, account: Account) -> LeftBehind:
        """Release the work of a contractor or driver. Work in progress continues."""
        ...

    async def release_for_module(self, call: Call, module: Module) -> LeftBehind:
        """Release work that only a module could release. Orders on routes stay on them."""
        ...

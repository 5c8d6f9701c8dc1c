"""What identity needs from outside."""

from typing import Annotated, Protocol

from msgspec import Struct

from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.enums import Account, Module


class MailAttachment(Struct, frozen=True, kw_only=True):
    """A file that goes with an e-mail. `media_type` of RFC 6838."""

    name: str
    media_type: str
    content: bytes


class MailMessage(Struct, frozen=True, kw_only=True):
    """An e-mail in plain text, with files."""

    to: str
    subject: str
    text: str
    attachments: tuple[MailAttachment, ...] = ()


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


class LeftBehind(Answer):
    """What waited for somebody who was disabled, or for a module that was switched off, and what became of it."""

    orders_given_back: Annotated[int, doc("Orders that they held; back in the office's pool.")] = 0
    orders_on_routes: Annotated[int, doc("Orders that they held and that stand on a route; they stay there.")] = 0
    routes_given_back: Annotated[
        list[int], doc("Routes that had not started: of a contractor cancelled, of a driver without one again.")
    ] = []
    routes_under_way: Annotated[
        list[int], doc("Routes that go on; hand them over, or give them up, where nobody drives them.")
    ] = []
    cash_minor: Annotated[
        int, doc("Cash on delivery that they carry, or their drivers do, and have to hand in, in minor units.")
    ] = 0


class WorkGivenBack(Protocol):
    """The work that waits for people and modules."""

    async def give_back_of_user(self, call: Call, user_id: int, account: Account) -> LeftBehind:
        """Give back what waits for a contractor or driver. What is under way goes on, in the office's sight."""
        ...

    async def give_back_of_module(self, call: Call, module: Module) -> LeftBehind:
        """Give back what only a module could give back. Orders on routes stay on them."""
        ...

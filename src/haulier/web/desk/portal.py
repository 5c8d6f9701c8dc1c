"""Customer portal: the short menu of a customer and the brand of their business."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from haulier.contexts.billing.invoices.operations import list_invoices
from haulier.contexts.identity.public import MailBrands
from haulier.contexts.orders.delivery_orders.operations.create import create_order
from haulier.contexts.orders.delivery_orders.operations.query import get_orders
from haulier.contexts.orders.order_returns.operations import list_order_returns
from haulier.contexts.places.address_book.operations.addresses import list_addresses
from haulier.kernel.application import Application
from haulier.kernel.operations.enums import Account
from haulier.rendering.mail import MailBrand
from haulier.web.desk.places import act_address, address_of
from haulier.web.session import WebSession

if TYPE_CHECKING:
    from haulier.web.desk.pages import DeskRequest

LISTS = (
    (get_orders, "orders"),
    (list_order_returns, "returns"),
    (list_invoices, "billing"),
    (list_addresses, "customers"),
)
"""Lists in the menu with their icons."""
SHOWN_ABOVE = frozenset({"orders", "customers"})
"""Sections that begin with a list of the menu."""


class PortalEntry(Struct, frozen=True):
    """A line of the menu."""

    address: str
    text: str
    icon: str

    def current(self, path: str) -> str | None:
        """Return `page` at the entry, `true` below it, else None, for `aria-current`."""
        if path == self.address:
            return "page"
        return "true" if path.startswith(f"{self.address}/") else None


async def load_brand(app: Application, session: WebSession) -> MailBrand | None:
    """Return the brand of the business for its customers, None for its staff."""
    if session.account is not Account.CUSTOMER:
        return None
    brands: MailBrands | None = app.adapters.get(MailBrands)
    return await brands.find(app, session.client_id) if brands else None


def list_entries(desk: "DeskRequest") -> Iterator[PortalEntry]:
    """Return the menu of a customer: what they may open, most frequent first."""
    if desk.may(create_order):
        yield PortalEntry(act_address(create_order), desk.say("desk.shop_order"), "plus")
    nouns = desk.places.nouns.of_operation
    for listing, icon in LISTS:
        if desk.may(listing):
            noun = nouns[listing.name]
            yield PortalEntry(address_of(noun), desk.reader.noun(noun).text, icon)

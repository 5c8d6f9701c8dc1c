"""Setup: five steps from an empty business to its first order."""

from typing import Any

from msgspec import Struct
from starlette.responses import Response

from haulier.contexts.fleet.depots.operations import create_depot, list_depots
from haulier.contexts.fleet.drivers.operations import create_driver, get_drivers
from haulier.contexts.identity.accounts.operations import get_client, update_client
from haulier.contexts.orders.delivery_orders.operations.create import create_order
from haulier.contexts.orders.delivery_orders.operations.query import get_orders
from haulier.contexts.orders.quotes.operations import get_rate_card, set_rate_card
from haulier.kernel.operations.declaration import Operation
from haulier.web.desk.pages import DeskRequest
from haulier.web.desk.places import act_address

Op = Operation[Any, Any]
SET_UP = "/desk/set-up"


class Step(Struct, frozen=True):
    """A step of the set-up."""

    name: str
    done: bool
    address: str


async def set_up_page(desk: DeskRequest) -> Response:
    """The five steps, with those that are done."""
    steps = await set_up_steps(desk)
    return desk.page("desk_set_up.html", steps=steps, next=next((step.name for step in steps if not step.done), None))


async def set_up_steps(desk: DeskRequest) -> list[Step]:
    """Return the setup steps of a business in order."""
    client = (await desk.read_if_allowed(get_client)).get("client") or {}
    card = await desk.read_if_allowed(get_rate_card)
    return [
        Step("business", client.get("time_zone") not in (None, "UTC"), act_address(update_client, back=SET_UP)),
        Step("depot", await _has_any(desk, list_depots, "depots"), act_address(create_depot, back=SET_UP)),
        Step("driver", await _has_any(desk, get_drivers, "drivers"), act_address(create_driver, back=SET_UP)),
        Step("prices", bool(card.get("own")), act_address(set_rate_card, back=SET_UP)),
        Step("order", await _has_any(desk, get_orders, "orders"), act_address(create_order)),
    ]


async def _has_any(desk: DeskRequest, listing: Op, rows: str) -> bool:
    return bool((await desk.read_if_allowed(listing, per_page=1)).get(rows))

"""Locating of new orders after their creation, in the background."""

from collections.abc import Sequence

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.actions.corrections import list_unlocated_ends
from haulier.contexts.orders.events import OrderChanged, OrderCreated
from haulier.contexts.orders.order_places.actions import place_ends
from haulier.contexts.places.public import locate_addresses
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun


class LocateOrders(Struct, frozen=True):
    """The job of finding out where orders go."""

    order_ids: list[int]


@before_commit(OrderCreated, OrderChanged)
async def locate_new_orders(call: Call, events: Sequence[DomainEvent]) -> None:
    """Enqueue one job for all orders of a transaction without coordinates.

    No cost if all orders have some.
    """
    ids = [
        event.order_id
        for event in events
        if (isinstance(event, OrderCreated) and not event.located) or (isinstance(event, OrderChanged) and event.moved)
    ]
    if ids:
        await call.enqueue("orders.locate", LocateOrders(list(dict.fromkeys(ids))))


@job("orders.locate", LocateOrders, queue="batches")
async def locate_orders(run: JobRun, args: LocateOrders) -> None:
    """Locate orders, and queue those with unknown addresses.

    Running it again changes nothing more.
    """
    async with run.call() as call:
        ends = await list_unlocated_ends(call, args.order_ids)
    if not ends:
        return
    places = await locate_addresses(run, [end.address for end in ends])
    async with run.call() as call:
        await place_ends(call, ends, places)

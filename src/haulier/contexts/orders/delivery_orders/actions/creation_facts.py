"""The facts by which new orders are created or checked."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.orders.delivery_orders.actions.custom_fields import NewOrderFields, validate_new_orders
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.delivery_orders.queries.pickups import get_pickup_depots
from haulier.contexts.orders.quotes.queries import get_rate_cards
from haulier.contexts.orders.quotes.rules import RateCards
from haulier.contexts.places.public import get_zone_index
from haulier.contexts.places.zone_maps.rules import ZoneIndex
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account


class CreationFacts(Struct, frozen=True):
    """The prices, customers, zones and custom fields that decide about requests."""

    cards: RateCards
    customers: set[int]
    """The customers that the requests name and that can be given orders."""
    zones: ZoneIndex
    fields: NewOrderFields
    depots: frozenset[int]
    """Open depots where requests want the order collected."""


async def load_creation_facts(
    call: Call, requests: Sequence[CreateOrder], *, copied: Collection[int] = (), shared: Collection[int] = ()
) -> CreationFacts:
    """Load the facts about requests, in a constant number of statements.

    `copied` and `shared` are the indexes of requests whose custom fields follow other rules: see `validate_new_orders`.
    """
    return CreationFacts(
        cards=await get_rate_cards(call, quoted=any(request.quote_id for request in requests)),
        customers=await _find_active_customer_ids(call, requests),
        zones=await get_zone_index(call),
        fields=await validate_new_orders(call, requests, copied=copied, shared=shared),
        depots=frozenset(id for id, depot in (await get_pickup_depots(call, requests)).items() if not depot.closed),
    )


async def _find_active_customer_ids(call: Call, requests: Sequence[CreateOrder]) -> set[int]:
    if call.principal.account is Account.CUSTOMER:
        return {call.actor or 0}
    ids = {request.customer_id for request in requests if request.customer_id}
    users = await get_users_by_id(call, ids) if ids else {}
    return {id for id, user in users.items() if user.account is Account.CUSTOMER and user.active}

"""What is odd about new orders, in the caller's language."""

from collections.abc import Collection

from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, OrderWarning
from haulier.contexts.orders.delivery_orders.rules.warnings import OrderOddity, WarningFacts, find_oddities
from haulier.contexts.orders.ports import DepotPlaces, SkillCatalogue
from haulier.contexts.places.public import get_zone_index
from haulier.kernel.call import Call


async def load_warning_facts(call: Call, requests: Collection[CreateOrder]) -> WarningFacts:
    """What the warnings of some orders depend on: at most three statements."""
    codes = {skill for request in requests for skill in request.skills}
    unknown = await call.adapter(SkillCatalogue).find_unknown_skills(call, codes) if codes else ()
    located = any(end.place for request in requests for end in request.visited_ends.values())
    depots = await call.adapter(DepotPlaces).list_depot_places(call) if located else ()
    return WarningFacts(unknown, await get_zone_index(call), depots)


def order_warnings(call: Call, request: CreateOrder, facts: WarningFacts) -> list[OrderWarning]:
    """The warnings beside an order that was created or corrected."""
    return [warning_record(call, oddity) for oddity in find_oddities(request, call.local_time(call.now), facts)]


def warning_record(call: Call, oddity: OrderOddity) -> OrderWarning:
    """Return a warning in the caller's language."""
    message = call.translate(oddity.message, **oddity.params)
    return OrderWarning(field=oddity.field, code=oddity.code.upper(), message=message)

"""What is odd about new orders, in the caller's language."""

from collections.abc import Iterable

from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, OrderWarning
from haulier.contexts.orders.delivery_orders.rules.warnings import WarningFacts, find_oddities
from haulier.contexts.orders.ports import SkillCatalogue
from haulier.contexts.places.public import get_zone_index
from haulier.kernel.call import Call


async def load_warning_facts(call: Call, requests: Iterable[CreateOrder]) -> WarningFacts:
    """What the warnings of some orders depend on: at most one statement."""
    codes = {skill for request in requests for skill in request.skills}
    unknown = await call.adapter(SkillCatalogue).find_unknown_skills(call, codes) if codes else ()
    return WarningFacts(unknown, await get_zone_index(call))


def order_warnings(call: Call, request: CreateOrder, facts: WarningFacts) -> list[OrderWarning]:
    """The warnings beside an order that was created or corrected."""
    return [
        OrderWarning(
            field=oddity.field,
            code=oddity.code.value.upper(),
            message=call.translate(f"order_warning_{oddity.code.value}", characters=oddity.characters),
        )
        for oddity in find_oddities(request, call.local_time(call.now), facts)
    ]

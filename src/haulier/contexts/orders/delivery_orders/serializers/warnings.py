"""What is odd about new orders, in the caller's language."""

from collections.abc import Collection, Iterable

from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, OrderWarning
from haulier.contexts.orders.delivery_orders.rules.warnings import find_oddities
from haulier.contexts.orders.ports import SkillCatalogue
from haulier.kernel.call import Call


async def find_unknown_skills(call: Call, requests: Iterable[CreateOrder]) -> frozenset[str]:
    """The skills of some orders that no driver can have."""
    codes = {skill for request in requests for skill in request.skills}
    return await call.adapter(SkillCatalogue).find_unknown_skills(call, codes) if codes else frozenset()


def order_warnings(call: Call, request: CreateOrder, unknown_skills: Collection[str]) -> list[OrderWarning]:
    """The warnings beside an order that was created or corrected."""
    return [
        OrderWarning(
            field=oddity.field,
            code=oddity.code.value.upper(),
            message=call.translate(f"order_warning_{oddity.code.value}"),
        )
        for oddity in find_oddities(request, call.local_time(call.now), unknown_skills)
    ]

"""Tax rates of the country of a business."""

from collections.abc import Sequence

from haulier.contexts.billing.taxes.actions import seed_rates
from haulier.contexts.identity.events import ClientCountrySet
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call


@before_commit(ClientCountrySet)
async def seed_rates_of_country(call: Call, events: Sequence[DomainEvent]) -> None:
    """Add the standard rates of a new country of the business."""
    for event in events:
        if isinstance(event, ClientCountrySet):
            await seed_rates(call, event.country)

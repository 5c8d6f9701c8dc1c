"""Setup of return tests: businesses that accept returns, and verified recipients."""

from typing import Any

from tests.contexts.billing.ledger.makers import make_call
from tests.contexts.recipients.makers import make_awaited_order
from tests.support.app import App
from tests.support.transport import status_and_code

from haulier.contexts.orders.public import OrderStep, apply_order_transition

REASONS = [
    {"code": "too_small", "texts": {"en": "It does not fit", "de": "Es passt nicht"}},
    {"code": "damaged", "texts": {"en": "It is damaged"}},
]
PROOF = "0123"


class Keeper:
    """A recipient with a delivery that may be returned."""

    def __init__(self, app: App, order: Any) -> None:
        self.app, self.order, self.access = app, order, ""

    async def opens(self) -> None:
        """Verify the recipient, which is valid for half an hour."""
        asked = {"number": self.order.tracking_number, "proof": PROOF}
        self.access = (await self.app.answer(None, "open_delivery", asked)).access

    async def tries(self, operation: str, **said: Any) -> Any:
        return await self.app.call(None, operation, {"access": self.access, **said})

    async def does(self, operation: str, **said: Any) -> Any:
        return await self.app.answer(None, operation, {"access": self.access, **said})

    async def sees(self, **said: Any) -> Any:
        return await self.does("get_delivery_return", **said)

    async def begins(self, site_id: int | None = None, **said: Any) -> Any:
        """Hand it in at a site; without one, have it fetched."""
        return await self.does("create_delivery_return", **returning(site_id, **said))

    async def refused(self, operation: str, **said: Any) -> tuple[int, str | None]:
        return status_and_code(await self.tries(operation, **said))


def returning(site_id: int | None = None, **said: Any) -> dict[str, Any]:
    """Return the request that begins a return."""
    how = {"way": "locker", "site_id": site_id} if site_id else {"way": "pickup"}
    return {"reason": "too_small", **how, **said}


async def allow_returns(app: App, **words: Any) -> None:
    """The business lets recipients send things back."""
    await app.answer("admin", "set_return_settings", {"reasons": REASONS, **words})


async def make_keeper(app: App, **terms: Any) -> Keeper:
    """A recipient to whom an order of the customer's was delivered a moment ago."""
    order = await make_awaited_order(app, who="customer", **terms)
    async with make_call(app) as call:
        for step in (OrderStep.PLAN, OrderStep.START, OrderStep.DELIVER):
            assert await apply_order_transition(call, step, [order.id]) == {}
    keeper = Keeper(app, order)
    await keeper.opens()
    return keeper

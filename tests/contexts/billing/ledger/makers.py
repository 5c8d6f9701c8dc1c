"""Setup of ledger tests: calls within a unit of work, and customers with money."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.values.money import Money

LABEL = billing.MoneySubject("label", 17)


def cad(minor: int) -> Money:
    return Money(minor, "CAD")


@asynccontextmanager
async def make_call(app: App) -> AsyncIterator[Call]:
    """A call of the business itself, committed at the end."""
    async with app.database.write(app.clients["demo"]) as work:
        yield await call_as_system(app.application, app.clients["demo"], work)


async def some_credit(app: App, minor: int, *, limit: int = 0, who: str = "customer") -> int:
    """The id of a customer who has so much, and may owe so much."""
    async with make_call(app) as call:
        if minor:
            await billing.top_up(call, app.ids[who], cad(minor), key=f"some:{who}")
        await billing.set_credit_limit(call, app.ids[who], cad(limit))
    return app.ids[who]


async def credit(app: App, who: str = "customer") -> tuple[int, int, int]:
    """A customer's balance, what is held of it, and what can be spent."""
    async with make_call(app) as call:
        found = await billing.balance_of(call, app.ids[who])
    return found.balance.minor, found.held.minor, found.available.minor


async def faults(app: App) -> list[str]:
    """Return what is wrong with the ledger."""
    async with app.database.read(app.clients["demo"]) as work:
        return await billing.check_ledger(work)

"""Setup of luggage tests: tariff, lockers at both ends, bookings and drivers."""

from datetime import timedelta
from typing import Any

from tests.contexts.billing.ledger.makers import some_credit
from tests.contexts.lockers.luggage.examples import HOTEL, SERVICE, TRAVELLER
from tests.contexts.lockers.makers import Cabinet, make_cabinet
from tests.support.app import App

from haulier.contexts.identity.ports import Mailer

BAGS = [{"size": "s"}, {"size": "s"}]
PRICE = 2260
"""Two bags by the tariff: 10 and twice 5, and 13 % on that."""


class Relay:
    """A business that carries bags from a locker or a hotel to another one."""

    def __init__(self, app: App, origin: Cabinet, destination: Cabinet) -> None:
        self.app, self.origin, self.destination = app, origin, destination

    @property
    def from_locker(self) -> dict[str, Any]:
        return {"kind": "locker", "site_id": self.origin.site_id}

    @property
    def to_locker(self) -> dict[str, Any]:
        return {"kind": "locker", "site_id": self.destination.site_id}

    def wish(self, **terms: Any) -> dict[str, Any]:
        """Two bags from the locker to the hotel, handed in within the next two hours."""
        now = self.app.clock()
        moments = {"drop_from": now, "drop_until": now + timedelta(hours=2), "pick_from": now + timedelta(hours=6)}
        return {
            "service_code": "city-bags",
            "bags": BAGS,
            "origin": self.from_locker,
            "destination": HOTEL,
            "traveller": TRAVELLER,
            **{name: moment.isoformat() for name, moment in moments.items()},
            **terms,
        }

    async def booked(self, who: str = "customer", **terms: Any) -> Any:
        """Create an unpaid booking."""
        return (await self.app.answer(who, "book_luggage", self.wish(**terms))).luggage

    async def paid(self, who: str = "customer", **terms: Any) -> Any:
        """A booking that is paid, with what follows from that at once."""
        booking = await self.booked(who, **terms)
        await self.app.answer(who, "pay_luggage_booking", {"luggage_id": booking.id}, confirmed=True)
        await self.app.work_off()
        return await self.now(booking.id)

    async def now(self, luggage_id: int, who: str = "admin") -> Any:
        """A booking as it is now."""
        return (await self.app.answer(who, "get_luggage_booking", {"luggage_id": luggage_id})).luggage

    async def codes(self, luggage_id: int, who: str = "customer") -> Any:
        """New codes and PIN of a booking."""
        return await self.app.answer(who, "renew_luggage_codes", {"luggage_id": luggage_id})

    async def handed_in(self, luggage_id: int, outcome: str = "done") -> None:
        """The traveller opens a box with each code; its door does something."""
        for each in (await self.codes(luggage_id)).codes:
            await type_code(self.origin, each.code, outcome)

    async def carry(self, booking: Any, step: str, who: str = "admin", **more: Any) -> Any:
        """All bags of a booking change hands; doors that open for it do so."""
        tags = [bag.tag for bag in booking.bags]
        asked = {"luggage_id": booking.id, "step": step, "tags": tags, **more}
        answer = await self.app.answer(who, "hand_over_luggage", asked)
        for cabinet in (self.origin, self.destination) if answer.doors else ():
            await cabinet.does()
        return await self.now(booking.id) if answer.doors else answer.luggage

    async def under_way(self, **terms: Any) -> Any:
        """A booking whose bags are in the van."""
        booking = await self.paid(**terms)
        await self.handed_in(booking.id)
        return await self.carry(booking, "load")

    async def arrived(self, **terms: Any) -> Any:
        """Create a booking whose bags have arrived and whose traveller was notified."""
        booking = await self.carry(await self.under_way(**terms), "unload")
        await self.app.work_off()
        return booking


async def type_code(cabinet: Cabinet, code: str, outcome: str = "done") -> None:
    """Enter a code; the door reports an outcome, or nothing if it is empty."""
    verdict = await cabinet.says("present_locker_code", code=code)
    assert verdict.accepted
    if outcome:
        await cabinet.says("report_device_command", command_id=verdict.command.id, outcome=outcome)


async def make_relay(app: App, *, boxes: int = 4, money: int = 100_000, **names: Any) -> Relay:
    """A relay between two sites of some small boxes, and a customer with money."""
    service = {**SERVICE, **({"name": names["name"]} if "name" in names else {})}
    await app.answer("admin", "create_service", service)
    layout = [{"size": "s", "count": boxes}]
    relay = Relay(app, await make_cabinet(app, layout, **names), await make_cabinet(app, layout, **names))
    if money:
        await some_credit(app, money)
    return relay


def letters(app: App) -> list[Any]:
    """Return the sent emails."""
    mailer: Any = app.application.adapter(Mailer)
    return list(mailer.mails)

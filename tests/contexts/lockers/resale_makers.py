"""Setup of locker rental tests: a site with an offer, and rentals in each status."""

from typing import Any

from tests.contexts.billing.ledger.makers import cad, make_call
from tests.contexts.lockers.makers import Cabinet, make_cabinet
from tests.support.app import App

from haulier.contexts.billing import public as billing

DAY_PRICE, SETUP = 150, 500
OFFER: dict[str, Any] = {
    "name": "Small boxes at Union Station",
    "boxes": 4,
    "min_days": 2,
    "max_days": 90,
    "day_minor": DAY_PRICE,
    "setup_minor": SETUP,
}


class Resale:
    """A cabinet of small boxes, and an offer of some of them."""

    def __init__(self, app: App, cabinet: Cabinet, offer: Any) -> None:
        self.app, self.cabinet, self.offer = app, cabinet, offer

    async def reserve(self, boxes: int = 2, days: int = 10, who: str = "customer", **terms: Any) -> Any:
        """Boxes that are kept for a customer."""
        asked = {"locker_offer_id": self.offer.id, "boxes": boxes, "days": days, **terms}
        return (await self.app.answer(who, "reserve_locker_lease", asked)).lease

    async def lease(self, boxes: int = 2, days: int = 10, who: str = "customer", **terms: Any) -> Any:
        """Boxes that a customer has paid, from credit that was there for it."""
        row = await self.reserve(boxes, days, who, **terms)
        seen = (await self.app.answer("admin", "get_locker_lease", {"locker_lease_id": row.id})).lease
        await self.top_up(seen.total_price, who, key=f"lease {row.id}")
        return await self.step("pay_locker_lease", row.id, "admin")

    async def top_up(self, minor: int, who: str = "customer", *, key: str) -> None:
        """Credit of a customer."""
        async with make_call(self.app) as call:
            await billing.top_up(call, self.app.ids[who], cad(minor), key=key)

    async def step(self, operation: str, lease_id: int, who: str = "customer", **more: Any) -> Any:
        """Take a step of a lease; the lease afterwards."""
        outcome = await self.app.call(who, operation, {"locker_lease_id": lease_id, **more}, confirmed=True)
        assert outcome.error is None, outcome.error
        answer: Any = outcome.answer
        return answer.lease

    async def now(self, lease_id: int) -> Any:
        """A lease as the office sees it now."""
        return (await self.app.answer("admin", "get_locker_lease", {"locker_lease_id": lease_id})).lease

    async def offered(self) -> Any:
        """The offer as the office sees it now."""
        return (await self.app.answer("admin", "get_locker_offer", {"locker_offer_id": self.offer.id})).offer

    async def boxes(self, lease_id: int, who: str = "customer", **page: Any) -> Any:
        """The boxes of a lease."""
        asked = {"locker_lease_id": lease_id, **page}
        return (await self.app.answer(who, "list_leased_boxes", asked)).boxes

    async def parcel(self, lease_id: int, who: str = "customer", **terms: Any) -> Any:
        """A parcel for which a box of a lease is reserved."""
        asked = {"locker_lease_id": lease_id, **terms}
        return (await self.app.answer(who, "reserve_leased_box", asked)).parcel

    async def open(self, parcel_id: int, purpose: str = "deposit", who: str = "customer", said: str = "done") -> Any:
        """Open the compartment of a parcel, or report a failure; return the parcel."""
        asked = {"locker_parcel_id": parcel_id, "purpose": purpose}
        outcome = await self.app.call(who, "open_leased_box", asked, confirmed=True)
        assert outcome.error is None, outcome.error
        await self.cabinet.does(said)
        return (await self.app.answer("admin", "get_locker_parcel", {"locker_parcel_id": parcel_id})).parcel

    async def set_box(self, box_id: int, state: str) -> None:
        """Take a box out of use, or into use; what follows is worked off."""
        await self.app.answer("admin", "update_locker_box", {"box_id": box_id, "state": state})
        await self.app.work_off()


async def make_resale(app: App, *, boxes: int = 6, **terms: Any) -> Resale:
    """Create a site of six small compartments, four of them offered by default."""
    cabinet = await make_cabinet(app, [{"size": "s", "count": boxes}])
    asked = {"site_id": cabinet.site_id, **OFFER, **terms}
    outcome = await app.call("admin", "create_locker_offer", asked, confirmed=True)
    assert outcome.error is None, outcome.error
    answer: Any = outcome.answer
    return Resale(app, cabinet, answer.offer)


async def make_payment_link(app: App, lease_id: int) -> str | None:
    """Create a payment link of a rental; None if its customer may not see the price."""
    asked = {"purpose": "locker_lease", "subject_id": lease_id}
    made = (await app.call("admin", "create_payment_link", asked)).answer
    return made.link if made else None

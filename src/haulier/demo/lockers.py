"""Lockers of the demo: two sites with parcels, a shop and compartments for rent."""

from base64 import b64encode
from typing import Any

from haulier.demo.accounts import DemoUser
from haulier.demo.caller import OperationCaller, SeedClock
from haulier.demo.people import recipient_of

SITES: tuple[dict[str, Any], ...] = (
    {
        "name": "Central Station, west hall",
        "address": "Kaivokatu 1, 00100 Helsinki",
        "lat": 60.17132,
        "lng": 24.94146,
        "opening_hours": "Mo-Su 06:00-23:00",
        "accessibility": ["step_free", "sheltered", "lit"],
        "access_notes": "Behind the ticket office",
    },
    {
        "name": "Hakaniemi, market square",
        "address": "Siltasaarenkatu 12, 00530 Helsinki",
        "lat": 60.17864,
        "lng": 24.94981,
        "opening_hours": "Mo-Sa 08:00-21:00",
        "accessibility": ["step_free", "attended", "low_boxes"],
    },
)
LAYOUT = [
    {"size": "s", "count": 10},
    {"size": "m", "count": 6},
    {"size": "l", "count": 3, "low": True},
    {"size": "xl", "count": 1, "low": True},
]
TEA: dict[str, Any] = {
    "code": "DEMO-TEA",
    "name": "Earl Grey, 100 g",
    "shelf_price_minor": 850,
    "tax_name": "VAT",
    "tax_basis_points": 2_550,
}
RECIPIENTS = tuple((name, email) for name, _, email in map(recipient_of, ("LOCKER-1", "LOCKER-2", "LOCKER-3")))


class Cabinet:
    """A locker that sends messages with its own credential and sequence numbers."""

    def __init__(self, office: OperationCaller, clock: SeedClock, credential: str) -> None:
        self.device = OperationCaller(office.app, None)
        self.clock = clock
        self.credential = credential
        self.sequence = 0

    async def say(self, operation: str, **values: Any) -> None:
        """Send a message to the server."""
        self.sequence += 1
        await self.device.call(operation, credential=self.credential, sequence=self.sequence, **values)

    async def open_doors(self) -> None:
        """Carry out all pending commands to open doors."""
        waiting = await self.device.call("poll_device_commands", credential=self.credential)
        for command in waiting.commands:
            await self.say("report_device_command", command_id=command.id, outcome="done")


async def seed_lockers(admin: OperationCaller, user: DemoUser, clock: SeedClock, order: int) -> None:
    """Create the lockers.

    Delivers an order to one, and a customer buys tea and rents a compartment.
    """
    sites = [(await admin.call("create_locker_site", **site)).site.id for site in SITES]
    station, market = [await _add_cabinet(admin, clock, site, n) for n, site in enumerate(sites, 1)]
    for name, email in RECIPIENTS:
        asked = {"site_id": sites[0], "size": "s", "recipient": {"name": name, "email": email}}
        parcel = (await admin.call("reserve_locker_box", **asked)).parcel
        if name != RECIPIENTS[-1][0]:
            await admin.call("deposit_locker_parcel", locker_parcel_id=parcel.id)
    await station.open_doors()
    await admin.call("deliver_to_locker", order_id=order, site_id=sites[0])
    if "locker_commerce" in admin.app.loaded:
        await _sell(admin, OperationCaller(admin.app, user), market, sites[1])
    await _plan_rollout(admin, sites[0])


async def _sell(admin: OperationCaller, customer: OperationCaller, cabinet: Cabinet, site: int) -> None:
    """Create a locker shop with one sale, and compartments for rent."""
    product = (await admin.call("create_shop_product", **TEA)).product.id
    task = (await admin.call("create_restock_task", site_id=site, shop_product_id=product, quantity=3)).task.id
    for _ in range(2):
        await admin.call("restock_shop_box", restock_task_id=task)
        await cabinet.open_doors()
    offer = {"name": "A box for your shop", "size": "m", "boxes": 3, "min_days": 7, "day_minor": 120}
    offered = await admin.call("create_locker_offer", site_id=site, **offer)
    await customer.call("reserve_locker_lease", locker_offer_id=offered.offer.id, boxes=1, days=30)
    purchase = (await customer.call("reserve_shop_item", site_id=site, shop_product_id=product)).purchase
    await customer.call("buy_reserved_shop_item", shop_purchase_id=purchase.id)


async def _plan_rollout(admin: OperationCaller, site: int) -> None:
    """Create a firmware release, and a plan to try it at one site first."""
    content = b64encode(b"cabinet firmware 2.5.0").decode()
    release = await admin.call("create_firmware_release", version="2.5.0", content=content, notes="Quieter doors")
    await admin.call("create_firmware_rollout", firmware_release_id=release.release.id, site_id=site)


async def _add_cabinet(admin: OperationCaller, clock: SeedClock, site: int, number: int) -> Cabinet:
    """Create a locker whose device is registered and has reported its state."""
    serial = f"DEMO-CAB-{number}"
    made = await admin.call("create_device", name=SITES[number - 1]["name"], serial=serial)
    registered = await OperationCaller(admin.app, None).call("register_device", code=made.code, serial=serial)
    await admin.call("add_locker_cabinet", site_id=site, code="A", device_id=made.device.id, layout=LAYOUT)
    cabinet = Cabinet(admin, clock, registered.credential)
    state = {"firmware": "2.4.1", "network": "lte", "mains": True, "temperature_c": 21}
    await cabinet.say("report_device_state", sent_at=clock.present, **state)
    return cabinet

"""Orders that carriers deliver."""

from datetime import timedelta
from typing import Any

from tests.contexts.shipping.makers import ADA, Parcelo
from tests.support.app import App

from haulier.contexts.shipping.ports import CarrierEvent


async def make_order_to_ship(app: App, **values: Any) -> int:
    """An order for a parcel carrier; its id."""
    made = await app.answer("admin", "create_order", {"consignee": ADA, "packages": [{"weight_g": 900}], **values})
    return made.order.id


async def ship(app: App, order_id: int, **values: Any) -> Any:
    """Ship an order."""
    return await app.answer("admin", "ship_order", {"order_id": order_id, **values})


async def order_of(app: App, order_id: int) -> Any:
    """An order as it is now."""
    return (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order


async def fulfilments_of(app: App, order_id: int, who: str = "admin") -> list[Any]:
    """Fulfilments of an order."""
    return (await app.answer(who, "list_fulfilments", {"order_id": order_id})).fulfilments


async def refusal(app: App, order_id: int, **values: Any) -> str:
    """Code of the error of shipping an order."""
    result = await app.call("admin", "ship_order", {"order_id": order_id, **values})
    assert result.error, result
    return result.error["code"]


async def void(app: App, shipment_id: int) -> None:
    """Void a label."""
    await app.answer("admin", "cancel_shipping_label", {"shipment_id": shipment_id}, confirmed=True)
    await app.work_off()


async def scan(app: App, carrier: Parcelo, *codes: str) -> None:
    """Let the carrier scan the parcel, each time a minute later, and be asked for it."""
    first = len(carrier.scans)
    carrier.scans += [
        CarrierEvent(
            f"e{first + number}", code, code, app.clock() + timedelta(minutes=number), city="Ottawa", country="CA"
        )
        for number, code in enumerate(codes)
    ]
    app.clock.forward(hours=13)
    for _ in range(3):
        await app.work_off()

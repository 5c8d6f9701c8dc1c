"""Freight shipments for tests."""

from typing import Any

from tests.contexts.freight.examples import SHIPMENT, TARIFF
from tests.support.app import App


async def set_tariff(app: App, **changes: Any) -> None:
    """Set the freight tariff of the examples."""
    await app.answer("admin", "set_freight_tariff", {**TARIFF, **changes}, confirmed=True)


async def make_shipment(app: App, who: str = "admin", **values: Any) -> Any:
    """Create a freight shipment of three pallets."""
    return (await app.answer(who, "create_freight_shipment", {**SHIPMENT, **values})).freight_shipment


async def take_steps(app: App, id: int, *steps: str, **values: Any) -> Any:
    """Record steps of a shipment; return it."""
    shown = None
    for step in steps:
        asked = {"freight_shipment_id": id, "step": step, **(values if step == "accept" else {})}
        shown = (await app.answer("admin", "record_freight_step", asked)).freight_shipment
    return shown


async def deliver(app: App, id: int, *exceptions: dict[str, Any]) -> Any:
    """Deliver a shipment with exceptions."""
    asked = {"freight_shipment_id": id, "received_by": "Grace Hopper", "exceptions": list(exceptions)}
    return (await app.answer("admin", "deliver_freight_shipment", asked)).freight_shipment


async def make_delivered(app: App, *exceptions: dict[str, Any], **values: Any) -> Any:
    """Create a shipment and deliver it."""
    made = await make_shipment(app, **values)
    await take_steps(app, made.id, "tender", "accept", "pick_up")
    return await deliver(app, made.id, *exceptions)

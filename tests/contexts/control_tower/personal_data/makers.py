"""Persons with much stored data: the consignee of a parcel, and its driver."""

from typing import Any

from tests.contexts.driver_app.makers import DOOR_POSITION, make_upload
from tests.support.app import App
from tests.support.tables import rows
from tests.support.transport import make_contact, make_driver, make_order, make_route

STREET, NOTE, RECIPIENT = "77 Wisteria Lane", "Beware of the parrot", "Quill Ravenscroft junior"
CONSIGNEE = make_contact(
    name="Quill Ravenscroft",
    address=STREET,
    email="Quill@ravenscroft.example",
    phone="(416) 555-0177",
    notes=NOTE,
    lat=43.6512345,
    lng=-79.3812345,
)
TRACES = ["Quill", "quill", "Wisteria", "wisteria", "parrot", "5550177", "555-0177", "43.6512345"]
"""Texts that must not exist after the consignee is erased."""


async def make_order_of_quill(app: App, **words: Any) -> int:
    """An order for the consignee; its id."""
    texts = {"note": NOTE, "delivery_instruction": NOTE, "packages": [{"weight_g": 500, "description": NOTE}]}
    return await make_order(app, consignee=CONSIGNEE, **texts, **words)


async def make_delivery_to_quill(app: App, user: str = "driver") -> tuple[int, int, int]:
    """Deliver an order with a photo by `user`; return order, photo and driver ids."""
    order_id = await make_order_of_quill(app)
    driver_id = await make_driver(app, user=user, name="Dan Drives", phone="+14165550188")
    route_id = await make_route(app, order_ids=[order_id], driver_id=driver_id)
    stop = (await app.answer(user, "start_route", {"route_id": route_id})).route.stops[0]
    file_id = (await make_upload(app, stop.id, who=user)).file_id
    point = {**DOOR_POSITION, "occurred_at": app.clock.now.isoformat()}
    await app.answer(user, "push_positions", {"points": [point]})
    proof = {"recipient": RECIPIENT, "photos": ["photo-0001"], "note": NOTE, "position": DOOR_POSITION}
    await app.answer(user, "rider_deliver", {"route_id": route_id, "stop_id": stop.id, **proof})
    await app.answer(user, "finish_route", {"route_id": route_id})
    await app.work_off()
    return order_id, file_id, driver_id


async def traces_of(app: App, texts: list[str]) -> dict[str, list[str]]:
    """The rows in which one of some texts stands, by table."""
    found = {
        name: [row for row in each if any(text in row for text in texts)] for name, each in (await rows(app)).items()
    }
    return {name: each for name, each in found.items() if each}


async def erased(app: App, **selector: Any) -> Any:
    """Erase a person and wait for it; the request as it then stands."""
    answer = await app.answer("admin", "erase_personal_data", selector)
    await app.work_off()
    return (await app.answer("admin", "get_personal_data_request", {"request_id": answer.request.id})).request

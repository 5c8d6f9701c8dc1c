"""Deliveries teach where addresses are."""

from haulier.contexts.orders.public import get_stop_contacts
from haulier.contexts.places.public import AddressText, record_delivery_place
from haulier.contexts.routes.events import StopCompleted
from haulier.contexts.routes.stops import store
from haulier.contexts.routes.stops.rules import StopKind, confirmed_place
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(StopCompleted)
async def record_stop_location(call: Call, event: StopCompleted) -> None:
    """Store the location of a delivery, for the next order to the same address.

    Handling the event twice changes nothing more.
    """
    stop = (await store.get_stop_rows(call.work, [event.stop_id])).get(event.stop_id)
    contacts = (await get_stop_contacts(call, [event.order_id])).get(event.order_id)
    if stop is None or contacts is None or event.kind != StopKind.DELIVERY or not contacts.consignee:
        return
    end = contacts.consignee
    place = confirmed_place((end.get("lat"), end.get("lng")), (stop.ended_lat, stop.ended_lng))
    if place and end.get("address") and end.get("city") and end.get("country"):
        text = AddressText(end["country"], end["address"], end["city"], end.get("region"), end.get("postal_code"))
        await record_delivery_place(call, text, *place, event.order_id)

"""Open offers as drivers see them: places and pay, without names until accepted."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.driver_app.offers.contract import OpenRiderOffer
from haulier.contexts.driver_app.offers.store import OfferWithJobRow
from haulier.contexts.fleet.public import DepotRow, DriverRow, get_depot_rows
from haulier.contexts.orders.public import OrderFacts, StopContacts, get_order_facts, get_stop_contacts
from haulier.contexts.settlements.public import quote_pay
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


async def serialize_open_offers(call: Call, driver: DriverRow, rows: Sequence[OfferWithJobRow]) -> list[OpenRiderOffer]:
    """Return the offers to a driver for orders that still exist.

    A constant number of statements.
    """
    order_ids = {row.order_id for row in rows}
    if not order_ids:
        return []
    orders = await get_order_facts(call, order_ids)
    contacts = await get_stop_contacts(call, order_ids)
    depots = await get_depot_rows(call, {row.depot_id for row in rows})
    pay = {stops: await quote_pay(call, driver, stops) for stops in (1, 2)}
    return [
        _open_offer(
            call,
            row,
            orders[row.order_id],
            contacts[row.order_id],
            depots.get(row.depot_id),
            pay[2 if orders[row.order_id].movement == "P2P" else 1],
        )
        for row in rows
        if row.order_id in orders and row.order_id in contacts
    ]


def _open_offer(
    call: Call,
    row: OfferWithJobRow,
    order: OrderFacts,
    contacts: StopContacts,
    depot: DepotRow | None,
    pay_minor: int | None,
) -> OpenRiderOffer:
    collected = order.movement != "D"
    return record(
        OpenRiderOffer,
        row,
        type=order.movement,
        from_name=None if collected or depot is None else depot.name,
        from_address=_address(contacts.goods_at or contacts.shipper) if collected else depot.address if depot else "",
        to_address=order.address,
        to_lat=order.lat,
        to_lng=order.lng,
        pieces=contacts.package_count,
        weight_g=order.weight_g,
        cod_minor=contacts.terms.cod_minor if order.type != "P" else None,
        currency=call.business.currency,
        pay_minor=pay_minor,
        offered_at=call.local_time(row.offered_at),
        expires_at=call.local_time(row.expires_at),
    )


def _address(end: Mapping[str, Any] | None) -> str:
    parts = [(end or {}).get(name) for name in ("address", "unit", "city")]
    return ", ".join(part for part in parts if part)

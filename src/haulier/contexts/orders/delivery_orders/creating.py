"""Taking orders: one or many, in a number of statements that does not depend on how many."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.access.public import users
from haulier.contexts.orders.delivery_orders import store
from haulier.contexts.orders.delivery_orders.cargo import Address
from haulier.contexts.orders.delivery_orders.contract import CreateOrder
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.orders.events import OrderCreated
from haulier.contexts.orders.quotes import store as rate_cards
from haulier.contexts.orders.quotes.rules import Haul, Price, RateCard, distance_m, price
from haulier.contexts.tracking.public import Happening, Location, record, set_viewers
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account
from haulier.kernel.errors import INVALID_REQUEST, Fault, Refusal, problem
from haulier.kernel.ids import tracking_number

SERVICE_UNKNOWN = problem("service_unknown", 422)


class Taken(Struct, frozen=True):
    """What became of one request: the row of the order, or why there is none."""

    row: Any | None
    existing: bool = False
    refusal: Refusal | None = None


async def take_all(
    call: Call, requests: Sequence[CreateOrder], *, replaces: Mapping[int, int] | None = None
) -> list[Taken]:
    """Take orders, each on its own merits; a reference that is there already gives the order that is there.

    `replaces` maps the place of a request to the order that it replaces. Needs the client's rate card, so prices are part
    of the order from its first moment.
    """
    card = await rate_cards.card(call.work)
    there = await store.by_refs(call.work, {each.order_ref for each in requests if each.order_ref})
    customers = await _customers(call, requests)
    outcomes: dict[int, Taken] = {}
    rows: dict[int, dict[str, Any]] = {}
    first_with: dict[str, int] = {}
    for at, request in enumerate(requests):
        if request.order_ref in there:
            outcomes[at] = Taken(there[request.order_ref], existing=True)
        elif request.order_ref and request.order_ref in first_with:
            continue
        else:
            try:
                rows[at] = _row(call, request, card, customers) | {"replaces_order_id": (replaces or {}).get(at)}
                if request.order_ref:
                    first_with[request.order_ref] = at
            except Refusal as refusal:
                outcomes[at] = Taken(None, refusal=refusal)
    written = await _write(call, requests, rows)
    for at, row in written.items():
        outcomes[at] = Taken(row)
    for at, request in enumerate(requests):
        if at not in outcomes:  # the same reference twice in one call
            outcomes[at] = Taken(written[first_with[request.order_ref or ""]], existing=True)
    return [outcomes[at] for at in range(len(requests))]


async def _customers(call: Call, requests: Sequence[CreateOrder]) -> set[int]:
    if call.principal.account is Account.CUSTOMER:
        return {call.actor or 0}
    named = {each.customer_id for each in requests if each.customer_id}
    found = await users(call, named) if named else {}
    return {id for id, user in found.items() if user.account is Account.CUSTOMER and user.active}


def _row(call: Call, request: CreateOrder, card: RateCard, customers: set[int]) -> dict[str, Any]:
    own = call.principal.account is Account.CUSTOMER
    customer_id = call.actor if own else request.customer_id
    if customer_id is not None and customer_id not in customers:
        raise INVALID_REQUEST.at(Fault("customer_id", "field.customer_unknown"))
    stop = request.stop
    return {
        "order_ref": request.order_ref,
        "tracking_number": tracking_number(),
        "type": request.type,
        "status": OrderStatus.NEW_ORDER.value,
        "fulfilment": request.fulfilment,
        "third_party_held": False,
        "scheduled_date": request.scheduled_date,
        "customer_id": customer_id,
        "contractor_id": None,
        "driver_id": None,
        "shipper": request.shipper.model_dump() if request.shipper else None,
        "consignee": request.consignee.model_dump() if request.consignee else None,
        **stop_columns(stop),
        "window_start": request.window_start,
        "window_end": request.window_end,
        "service_time_s": request.service_time_s,
        "weight_g": sum(package.weight_g for package in request.packages),
        "package_count": len(request.packages),
        "skills": request.skills,
        "note": request.note,
        "delivery_instruction": request.delivery_instruction,
        "references": request.references,
        "cod_minor": request.cod_minor,
        "price": _price(call, request, card),
        "search": _search(request),
        "created_by": call.actor,
        "created_at": call.now,
        "updated_at": call.now,
    }


def stop_columns(stop: Address) -> dict[str, Any]:
    """Where the driver has to go, as columns."""
    return {
        "stop_name": stop.name,
        "stop_address": ", ".join(filter(None, (stop.address, stop.unit))),
        "stop_city": stop.city[:120],
        "stop_postal_code": stop.postal_code,
        "lat": stop.lat,
        "lng": stop.lng,
    }


def _price(call: Call, request: CreateOrder, card: RateCard) -> dict[str, Any]:
    service = next((service for service in card.services if service.code == request.service), None)
    if service is None:
        raise SERVICE_UNKNOWN(service=request.service, known=", ".join(each.code for each in card.services))
    ends = [end.place if end else None for end in (request.shipper, request.consignee)]
    priced: Price = price(
        card,
        service,
        Haul(
            distance_m=distance_m(ends[0], ends[1]),
            weight_g=sum(package.weight_g for package in request.packages),
            packages=len(request.packages),
            cod=request.cod_minor is not None,
            signature=request.signature_required,
            pickup=request.type != "D",
        ),
    )
    return {**priced.model_dump(mode="json"), "currency": call.business.currency}


def _search(request: CreateOrder) -> str:
    words: list[str | None] = [request.order_ref, *request.references.values()]
    for end in (request.shipper, request.consignee):
        if end:
            words += [end.name, end.address, end.city, end.postal_code, end.phone, end.email]
    return "\n".join(word for word in words if word).lower()


async def _write(call: Call, requests: Sequence[CreateOrder], rows: Mapping[int, dict[str, Any]]) -> dict[int, Any]:
    if not rows:
        return {}
    ids = dict(zip(rows, await store.add(call.work, list(rows.values())), strict=True))
    await store.add_packages(call.work, [each for at in rows for each in _packages(requests[at], ids[at], rows[at])])
    await store.add_changes(call.work, [_created(call, id) for id in ids.values()])
    await record(call, [_happening(call, ids[at], row) for at, row in rows.items()])
    by_customer: dict[int, list[int]] = {}
    for at, row in rows.items():
        if row["customer_id"]:
            by_customer.setdefault(row["customer_id"], []).append(ids[at])
    for customer_id, order_ids in by_customer.items():
        await set_viewers(call, order_ids=order_ids, customer_id=customer_id)
    call.concerns("order", *ids.values())
    for at, id in ids.items():
        await call.announce(OrderCreated(order_id=id, tracking_number=rows[at]["tracking_number"]))
    written = {row.id: row for row in await store.some(call.work, list(ids.values()))}
    return {at: written[id] for at, id in ids.items()}


def _packages(request: CreateOrder, order_id: int, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "order_id": order_id,
            "tracking_number": row["tracking_number"] + (f"-{number}" if number > 1 else ""),
            **package.model_dump(),
        }
        for number, package in enumerate(request.packages, 1)
    ]


def _created(call: Call, order_id: int) -> dict[str, Any]:
    return {
        "order_id": order_id,
        "step": "create",
        "status": OrderStatus.NEW_ORDER.value,
        "at": call.now,
        "recorded_at": call.now,
        "by_user_id": call.actor,
        "reason": None,
    }


def _happening(call: Call, order_id: int, row: Mapping[str, Any]) -> Happening:
    end = row["shipper"] or row["consignee"]
    place = Location(city=end["city"], country=end["country"]) if end else None
    return Happening(
        tracking_number=row["tracking_number"],
        status_code="information_submitted",
        occurred_at=call.now,
        order_id=order_id,
        order_ref=row["order_ref"],
        location=place if row["shipper"] else None,
    )

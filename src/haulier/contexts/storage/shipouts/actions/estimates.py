"""What a ship-out costs: by its service, kept as a quote, and taken when it is ordered."""

from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.public import (
    SERVICE_PRICE_OUT_OF_RANGE,
    Service,
    ServiceKind,
    ServiceMeasures,
    ServicePrice,
    check_service_values,
    find_offered_service,
    keep_service_quote,
    price_service,
    take_service_quote,
)
from haulier.contexts.orders.quotes.contract import AddressParts
from haulier.contexts.storage.shipouts.actions.contents import ShipoutContents, require_free_contents
from haulier.contexts.storage.shipouts.contract import CreateShipout, EstimateShipout, ShipoutWish
from haulier.contexts.storage.shipouts.rules import SHIPOUT_QUOTE_MISMATCH, volume_cm3
from haulier.contexts.warehouse.public import get_warehouse_rows, list_open_warehouses
from haulier.kernel.call import Call, call_as
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.geography import great_circle_m

NOT_KEPT = 0
WEIGHT_MAX_G, VOLUME_MAX_CM3, DISTANCE_MAX_M = 50_000_000, 1_000_000_000, 40_000_000
"""As much as the price of a service takes."""


class PricedShipout(Struct, frozen=True, kw_only=True):
    """What shall be sent, and what it costs."""

    service: Service
    values: dict[str, Any]
    measures: ServiceMeasures
    price: ServicePrice


class KeptShipoutEstimate(Struct, frozen=True, kw_only=True):
    """An estimate that was kept."""

    id: int
    priced: PricedShipout
    expires_at: datetime


async def estimate_wish(context: RequestContext, request: EstimateShipout) -> KeptShipoutEstimate:
    """Price what shall be sent and keep the price, save in a rehearsal; in a unit of work of its own, for a read has none."""
    app, principal = context.app, context.principal
    async with app.database.write(principal.client_id) as work:
        call = call_as(app, principal, work, language=context.language)
        contents = await require_free_contents(call, request, customer_id=call.actor or 0)
        priced = await price_wish(call, request, request.consignee, contents)
        kept = await keep_service_quote(
            call,
            priced.service,
            priced.price,
            customer_id=call.actor,
            values=priced.values,
            details=_details(request, priced.measures),
        )
        if context.dry_run:
            work.rollback_only()
        return KeptShipoutEstimate(
            id=NOT_KEPT if context.dry_run else kept.id, priced=priced, expires_at=kept.expires_at
        )


async def price_wish(
    call: Call, wish: ShipoutWish, consignee: AddressParts, contents: ShipoutContents
) -> PricedShipout:
    """What it costs today. Raises `NOT_FOUND`, `INVALID_REQUEST`, `SERVICE_OUT_OF_AREA`, `SERVICE_PRICE_OUT_OF_RANGE`."""
    service = await find_offered_service(call, wish.service_code, [ServiceKind.SHIPOUT])
    values = check_service_values(service, wish.values)
    measures = await _measures(call, service, wish, consignee, contents)
    return PricedShipout(
        service=service, values=values, measures=measures, price=price_service(service, values, measures)
    )


async def take_price(call: Call, request: CreateShipout, contents: ShipoutContents) -> PricedShipout:
    """What a ship-out costs: as it was quoted, or today. Also raises `SHIPOUT_QUOTE_MISMATCH` and as taking a quote does."""
    if request.quote_id is None:
        return await price_wish(call, request, request.consignee, contents)
    service = await find_offered_service(call, request.service_code, [ServiceKind.SHIPOUT])
    quote = await take_service_quote(call, request.quote_id, service_id=service.id, customer_id=call.actor)
    values = check_service_values(service, request.values)
    measures = await _measures(call, service, request, request.consignee, contents)
    if quote.values != values or quote.details != _details(request, measures):
        raise SHIPOUT_QUOTE_MISMATCH()
    return PricedShipout(service=service, values=values, measures=measures, price=quote.price)


def _details(wish: ShipoutWish, measures: ServiceMeasures) -> dict[str, Any]:
    """What a quote is for, so that nothing else is ordered by it."""
    parcels = sorted(sorted(parcel.package_ids) for parcel in wish.parcels)
    details: dict[str, Any] = {"parcels": parcels, "measures": measures.model_dump(mode="json")}
    if wish.inbound_parcel_ids:
        contents = [[sorted(parcel.package_ids), sorted(parcel.inbound_parcel_ids)] for parcel in wish.parcels]
        details["contents"] = sorted(contents)
    return details


async def _measures(
    call: Call, service: Service, wish: ShipoutWish, consignee: AddressParts, contents: ShipoutContents
) -> ServiceMeasures:
    weight_g, room_cm3 = sum(each.weight_g for each in contents.facts), volume_cm3(contents.facts)
    if weight_g > WEIGHT_MAX_G or room_cm3 > VOLUME_MAX_CM3:
        raise SERVICE_PRICE_OUT_OF_RANGE()
    return ServiceMeasures(
        pieces=len(wish.parcels),
        weight_g=weight_g,
        volume_cm3=room_cm3,
        distance_m=await _distance_m(call, consignee, contents) if service.pricing.per_km_minor else 0,
        country=getattr(consignee, "country", None),
        postal_code=consignee.postal_code,
    )


async def _distance_m(call: Call, consignee: AddressParts, contents: ShipoutContents) -> int:
    """How far it is from the farthest warehouse, as the crow flies. Raises `INVALID_REQUEST` where that is not known.

    Where an inbound parcel lies nobody wrote down: any open warehouse may be where it leaves.
    """
    ids = {row.warehouse_id for row in contents.packages}
    warehouses = list((await get_warehouse_rows(call, ids)).values())
    if contents.inbound:
        warehouses.extend(row for row in await list_open_warehouses(call) if row.id not in ids)
    places = [(row.lat, row.lng) for row in warehouses if row.lat is not None and row.lng is not None]
    if consignee.place is None or not places or len(places) < len(warehouses):
        raise INVALID_REQUEST.for_fields(FieldError("consignee.lat", "field.missing"))
    return min(DISTANCE_MAX_M, max(round(great_circle_m(place, consignee.place)) for place in places))

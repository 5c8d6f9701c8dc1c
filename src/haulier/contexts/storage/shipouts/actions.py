"""Writes of shipouts for other families."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeGuard

from msgspec import Struct, convert, to_builtins
from pydantic import ValidationError

from haulier.contexts.billing.public import (
    SERVICE_PRICE_OUT_OF_RANGE,
    ChargeDetails,
    Fulfilment,
    MoneySubject,
    Service,
    ServiceKind,
    ServiceMeasures,
    ServicePrice,
    charge,
    check_service_values,
    find_offered_service,
    get_service,
    mark_service_used,
    price_service,
    refund_remaining,
    store_service_quote,
    use_service_quote,
)
from haulier.contexts.consolidation.public import (
    InboundParcelRow,
    add_to_ship_out,
    get_parcels_by_id,
    record_ship_out_departure,
    remove_from_shipout,
    require_parcels_for_ship_out,
)
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, Package
from haulier.contexts.orders.public import BoughtDelivery, cancel_bought_delivery, create_bought_delivery
from haulier.contexts.orders.quotes.contract import AddressParts
from haulier.contexts.shipping.labels.contract import ShipmentTerms
from haulier.contexts.shipping.public import LabelRequest, Submit, account_or_default, buy_label_for, withdraw_label
from haulier.contexts.storage.events import ShipoutChanged
from haulier.contexts.storage.shipouts import store
from haulier.contexts.storage.shipouts.contract import ConfirmShipout, CreateShipout, EstimateShipout, ShipoutWish
from haulier.contexts.storage.shipouts.rules import (
    INBOUND_PARCEL_NOT_MEASURED,
    SHIPOUT_QUOTE_MISMATCH,
    SHIPOUT_STEP_REFUSED,
    LeavingParcel,
    PackageFacts,
    ShipoutFulfilment,
    ShipoutStatus,
    ShipoutStep,
    contents_of_parcels,
    leaving_parcels,
    next_shipout_status,
    volume_cm3,
)
from haulier.contexts.storage.shipouts.store import ShipoutRow
from haulier.contexts.storage.storage_orders.contract import STORAGE
from haulier.contexts.storage.storage_orders.rules import NOTHING_OWED
from haulier.contexts.storage.stored_packages.actions import (
    promise_packages,
    release_packages,
    require_free_packages,
    ship_packages,
)
from haulier.contexts.storage.stored_packages.queries import StoredPackageRow, list_packages_of_shipouts
from haulier.contexts.warehouse.public import get_warehouse_rows, list_open_warehouses
from haulier.kernel.application import Application
from haulier.kernel.call import Call, call_as, call_as_system
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.geography import great_circle_m
from haulier.kernel.values.money import Money
from haulier.kernel.values.taxes import scale_taxes


class ShipoutContents(Struct, frozen=True, kw_only=True):
    """Contents of a ship-out."""

    packages: Sequence[StoredPackageRow]
    inbound: Sequence[InboundParcelRow]
    facts: Sequence[PackageFacts]
    """Facts for the price of each package."""


async def require_free_contents(
    call: Call, wish: ShipoutWish, *, customer_id: int, lock: bool = False
) -> ShipoutContents:
    """Return the requested contents, if all are available.

    Raises `NOT_FOUND`, `PACKAGE_NOT_FREE`, `INBOUND_STEP_REFUSED` and `INBOUND_PARCEL_NOT_MEASURED`.
    """
    packages = await require_free_packages(call, wish.package_ids, customer_id=customer_id, lock=lock)
    inbound: Sequence[InboundParcelRow] = ()
    if ids := wish.inbound_parcel_ids:
        inbound = await require_parcels_for_ship_out(call, ids, customer_id=customer_id, lock=lock)
    facts = [*map(package_facts, packages), *map(inbound_facts, inbound)]
    return ShipoutContents(packages=packages, inbound=inbound, facts=facts)


async def promise_contents(call: Call, wish: ShipoutWish, *, customer_id: int, shipout_id: int) -> None:
    """Assign the requested contents to a ship-out: all of them or none."""
    await promise_packages(call, wish.package_ids, customer_id=customer_id, shipout_id=shipout_id)
    if ids := wish.inbound_parcel_ids:
        await add_to_ship_out(call, ids, customer_id=customer_id, ship_out_id=shipout_id)


async def release_contents(call: Call, row: ShipoutRow) -> None:
    """Release the contents of a ship-out."""
    await release_packages(call, row.id)
    if row.inbound_parcels:
        await remove_from_shipout(call, row.id)


async def ship_contents(call: Call, row: ShipoutRow) -> None:
    """Take the contents of a ship-out out of stock."""
    await ship_packages(call, row.id)
    if row.inbound_parcels:
        await record_ship_out_departure(call, row.id)


async def list_leaving_parcels(call: Call, row: ShipoutRow) -> list[LeavingParcel]:
    """Return the parcels of a ship-out with weight, and size if known."""
    packages = (await list_packages_of_shipouts(call, [row.id]))[row.id]
    ids = [id for parcel in row.inbound_parcels or () for id in parcel]
    inbound = await get_parcels_by_id(call.work, ids) if ids else {}
    return leaving_parcels(
        contents_of_parcels(row.parcels, row.inbound_parcels),
        {package.id: package_facts(package) for package in packages},
        {id: inbound_facts(parcel) for id, parcel in inbound.items()},
    )


def package_facts(row: StoredPackageRow) -> PackageFacts:
    """Return the facts of a package for prices and deliveries."""
    return PackageFacts(**{name: getattr(row, name) for name in PackageFacts.__struct_fields__})


def inbound_facts(row: InboundParcelRow) -> PackageFacts:
    """Return the facts of an inbound parcel. Raises `INBOUND_PARCEL_NOT_MEASURED`."""
    facts = {name: getattr(row, name) for name in PackageFacts.__struct_fields__}
    if None in facts.values():
        raise INBOUND_PARCEL_NOT_MEASURED(inbound_parcel_id=row.id)
    return PackageFacts(**facts)


NOT_KEPT = 0
WEIGHT_MAX_G, VOLUME_MAX_CM3, DISTANCE_MAX_M = 50_000_000, 1_000_000_000, 40_000_000
"""Limits of the price of a service."""


class PricedShipout(Struct, frozen=True, kw_only=True):
    """A requested ship-out and its price."""

    service: Service
    values: dict[str, Any]
    measures: ServiceMeasures
    price: ServicePrice


class KeptShipoutEstimate(Struct, frozen=True, kw_only=True):
    """A stored estimate."""

    id: int
    priced: PricedShipout
    expires_at: datetime


async def estimate_request(context: RequestContext, request: EstimateShipout) -> KeptShipoutEstimate:
    """Price a request and store the estimate, except in a dry run.

    Uses its own transaction, since a read has none.
    """
    app, principal = context.app, context.principal
    async with app.database.write(principal.client_id) as work:
        call = call_as(app, principal, work, language=context.language)
        contents = await require_free_contents(call, request, customer_id=call.actor or 0)
        priced = await quote_shipout(call, request, request.consignee, contents)
        kept = await store_service_quote(
            call,
            priced.service,
            priced.price,
            customer_id=call.actor,
            values=priced.values,
            details=_details(request, priced.measures),
        )
        if context.dry_run:
            work.mark_for_rollback()
        return KeptShipoutEstimate(
            id=NOT_KEPT if context.dry_run else kept.id, priced=priced, expires_at=kept.expires_at
        )


async def quote_shipout(
    call: Call, wish: ShipoutWish, consignee: AddressParts, contents: ShipoutContents
) -> PricedShipout:
    """Return today's price.

    Raises `NOT_FOUND`, `INVALID_REQUEST`, `SERVICE_OUT_OF_AREA`, `SERVICE_PRICE_OUT_OF_RANGE`.
    """
    service = await find_offered_service(call, wish.service_code, [ServiceKind.SHIPOUT])
    values = check_service_values(service, wish.values)
    measures = await _measures(call, service, wish, consignee, contents)
    return PricedShipout(
        service=service, values=values, measures=measures, price=price_service(service, values, measures)
    )


async def charge_price(call: Call, request: CreateShipout, contents: ShipoutContents) -> PricedShipout:
    """Return the quoted or today's price of a ship-out.

    Also raises `SHIPOUT_QUOTE_MISMATCH` and the errors of quotes.
    """
    if request.quote_id is None:
        return await quote_shipout(call, request, request.consignee, contents)
    service = await find_offered_service(call, request.service_code, [ServiceKind.SHIPOUT])
    quote = await use_service_quote(call, request.quote_id, service_id=service.id, customer_id=call.actor)
    values = check_service_values(service, request.values)
    measures = await _measures(call, service, request, request.consignee, contents)
    if quote.values != values or quote.details != _details(request, measures):
        raise SHIPOUT_QUOTE_MISMATCH()
    return PricedShipout(service=service, values=values, measures=measures, price=quote.price)


def _details(wish: ShipoutWish, measures: ServiceMeasures) -> dict[str, Any]:
    """Return the subject of a quote, so that nothing else is ordered with it."""
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
    """Return the beeline distance from the farthest warehouse in metres.

    Raises `INVALID_REQUEST` if it is unknown. The location of an inbound parcel is not recorded: it may leave from any
    open warehouse.
    """
    ids = {row.warehouse_id for row in contents.packages}
    warehouses = list((await get_warehouse_rows(call, ids)).values())
    if contents.inbound:
        warehouses.extend(row for row in await list_open_warehouses(call) if row.id not in ids)
    places = [(row.lat, row.lng) for row in warehouses if row.lat is not None and row.lng is not None]
    if consignee.place is None or not places or len(places) < len(warehouses):
        raise INVALID_REQUEST.for_fields(FieldError("consignee.lat", "field.missing"))
    return min(DISTANCE_MAX_M, max(round(great_circle_m(place, consignee.place)) for place in places))


SHIPPING_ENDS = frozenset(
    {"name", "company", "address", "unit", "city", "region", "postal_code", "country", "phone", "email"}
)
"""Recipient fields that carriers receive."""


def wants_label(row: ShipoutRow | None) -> TypeGuard[ShipoutRow]:
    """Return True if the ship-out needs a carrier label that is not bought yet."""
    return (
        row is not None
        and row.status == ShipoutStatus.CONFIRMED
        and row.fulfilment == ShipoutFulfilment.LABEL
        and row.shipment_id is None
        and row.tracking_number is None
    )


async def buy_shipout_label(app: Application, client_id: int, shipout_id: int) -> None:
    """Buy the label of a confirmed ship-out. Safe to repeat. Stores a failure.

    Its id is the label's reference.
    """
    try:
        wanted = await _label_request(app, client_id, shipout_id)
    except ValidationError as fault:
        await _store_fault(app, client_id, shipout_id, str(fault))
        return
    if wanted is None:
        return

    async def claim(call: Call, submit: Submit) -> int | None:
        if not wants_label(await ShipoutRow.lock(call.work, shipout_id)):
            return None
        shipment_id = await submit(call)
        await ShipoutRow.update(call.work, shipout_id, {"shipment_id": shipment_id, "label_fault": None})
        return shipment_id

    if fault := await buy_label_for(app, client_id, wanted, f"shipout-{shipout_id}", claim):
        await _store_fault(app, client_id, shipout_id, fault)


async def _label_request(app: Application, client_id: int, shipout_id: int) -> LabelRequest | None:
    async with app.database.read(client_id) as work:
        row = await ShipoutRow.get(work, shipout_id)
        if not wants_label(row):
            return None
        call = await call_as_system(app, client_id, work)
        service = await get_service(call, row.service_id)
        parcels = [_parcel(parcel) for parcel in await list_leaving_parcels(call, row)]
        consignee = {name: value for name, value in row.consignee.items() if name in SHIPPING_ENDS}
        terms = ShipmentTerms.model_validate({"consignee": consignee, "packages": parcels})
        account = await account_or_default(work, service.carrier_account_id)
        return LabelRequest(call.business, terms, account, service.carrier_service)


def _parcel(parcel: LeavingParcel) -> dict[str, int]:
    """Return a parcel for the carrier; the size of a repacked one is unknown."""
    size = {}
    if parcel.package is not None:
        size = {name: getattr(parcel.package, name) for name in ("length_mm", "width_mm", "height_mm")}
    return {"weight_g": max(1, parcel.weight_g), **size}


async def _store_fault(app: Application, client_id: int, shipout_id: int, text: str) -> None:
    async with app.database.write(client_id) as work:
        await ShipoutRow.update(work, shipout_id, {"label_fault": (text or "-")[: store.FAULT_MAX]})


BUY_SHIPOUT_LABEL_JOB = "storage.buy_shipout_label"
FOLLOW_SHIPOUT_JOB = "follow_delivery_of_shipout"


class BuyShipoutLabel(Struct, frozen=True):
    """Job arguments: a ship-out whose label is bought."""

    shipout_id: int


class FollowShipout(Struct, frozen=True):
    """Job arguments: the delivery, and True if it ended."""

    order_id: int
    delivered: bool


async def create_shipout(call: Call, request: CreateShipout) -> ShipoutRow:
    """Create a ship-out and assign its contents to it.

    Raises the errors of `require_free_contents` and `charge_price`.
    """
    customer_id = call.actor or 0
    contents = await require_free_contents(call, request, customer_id=customer_id, lock=True)
    priced = await charge_price(call, request, contents)
    address = request.consignee
    shipout_id = await ShipoutRow.insert(
        call.work,
        customer_id=customer_id,
        status=ShipoutStatus.PENDING.value,
        service_id=priced.service.id,
        service_code=priced.service.code,
        service_name=priced.service.name,
        shipout_ref=request.shipout_ref,
        consignee=address.model_dump(mode="json"),
        consignee_name=address.name,
        consignee_email=address.email,
        consignee_phone=address.phone,
        parcels=[parcel.package_ids for parcel in request.parcels],
        inbound_parcels=[parcel.inbound_parcel_ids for parcel in request.parcels] if contents.inbound else None,
        form_values=priced.values,
        note=request.note,
        scheduled_date=request.scheduled_date,
        price=to_builtins(priced.price),
        price_minor=priced.price.total_minor,
        paid_minor=0,
        currency=priced.price.currency,
        created_at=call.now,
    )
    await promise_contents(call, request, customer_id=customer_id, shipout_id=shipout_id)
    await mark_service_used(call, priced.service.id)
    return await _announced(call, shipout_id)


async def pay_shipout(call: Call, row: ShipoutRow) -> ShipoutRow:
    """Pay the price from the wallet, once. The row must be locked.

    Raises `NOTHING_OWED`, `CREDIT_INSUFFICIENT`.
    """
    due = row.price_minor - row.paid_minor
    if due <= 0 or row.status == ShipoutStatus.CANCELLED:
        raise NOTHING_OWED()
    posted = await charge(
        call,
        row.customer_id,
        Money(due, row.currency),
        key=f"shipout:{row.id}:payment",
        subject=MoneySubject("shipout", row.id, STORAGE),
        line=_charge_line(call, row, due),
    )
    await ShipoutRow.update(call.work, row.id, {"paid_minor": row.price_minor, "transfer_id": posted.transfer_id})
    call.add_audit_subjects("shipout", row.id)
    return await require_shipout(call, row.id)


def _charge_line(call: Call, row: ShipoutRow, minor: int) -> ChargeDetails:
    price = convert(row.price, ServicePrice)
    return ChargeDetails(
        item=row.service_name,
        reference=row.shipout_ref or row.tracking_number,
        recipient=row.consignee_name,
        serviced_on=row.scheduled_date or call.today,
        taxes=scale_taxes(price.taxes, minor, price.total_minor),
    )


async def cancel_shipout(call: Call, row: ShipoutRow) -> ShipoutRow:
    """Cancel a ship-out with its delivery, release packages and refund payments.

    The row must be locked. Raises `SHIPOUT_STEP_REFUSED`, also if its delivery is in progress.
    """
    status = next_shipout_status(ShipoutStep.CANCEL, row.status)
    if row.order_id is not None and not await cancel_bought_delivery(call, row.order_id, "The ship-out was cancelled."):
        raise SHIPOUT_STEP_REFUSED(step=ShipoutStep.CANCEL.value, status=row.status)
    if row.shipment_id is not None and not await withdraw_label(call, row.shipment_id):
        raise SHIPOUT_STEP_REFUSED(step=ShipoutStep.CANCEL.value, status=row.status)
    await release_contents(call, row)
    if row.transfer_id is not None:
        await refund_remaining(call, row.transfer_id, key=f"shipout:{row.id}:refund")
    return await _move(call, row, status, paid_minor=0, ended_at=call.now)


async def confirm_shipout(call: Call, row: ShipoutRow, request: ConfirmShipout) -> ShipoutRow:
    """Confirm a ship-out as a local delivery or with a carrier's label.

    The row must be locked. For a confirmed one whose label could not be bought, retries, or takes the number of a
    label.
    """
    if wants_label(row) and request.fulfilment is not ShipoutFulfilment.LOCAL_DELIVERY:
        return await _confirm_label(call, row, request.tracking_number)
    status = next_shipout_status(ShipoutStep.CONFIRM, row.status)
    fulfilment = request.fulfilment or await _fulfilment_of_service(call, row)
    values: dict[str, Any] = {"fulfilment": fulfilment.value, "tracking_number": request.tracking_number}
    if fulfilment is ShipoutFulfilment.LOCAL_DELIVERY:
        delivery = await _deliver(call, row)
        values |= {"order_id": delivery.order_id, "tracking_number": delivery.tracking_number}
    row = await _move(call, row, status, confirmed_at=call.now, **values)
    if wants_label(row):
        await call.enqueue(BUY_SHIPOUT_LABEL_JOB, BuyShipoutLabel(row.id))
    return row


async def _confirm_label(call: Call, row: ShipoutRow, number: str | None) -> ShipoutRow:
    await ShipoutRow.update(call.work, row.id, {"label_fault": None, "tracking_number": number})
    if number is None:
        await call.enqueue(BUY_SHIPOUT_LABEL_JOB, BuyShipoutLabel(row.id))
    return await _announced(call, row.id)


async def _fulfilment_of_service(call: Call, row: ShipoutRow) -> ShipoutFulfilment:
    service = await get_service(call, row.service_id)
    return ShipoutFulfilment.LABEL if Fulfilment.LABEL in service.fulfilment else ShipoutFulfilment.LOCAL_DELIVERY


async def ship_shipout(call: Call, row: ShipoutRow) -> ShipoutRow:
    """Record that a ship-out and its packages have left. The row must be locked."""
    status = next_shipout_status(ShipoutStep.SHIP, row.status)
    await ship_contents(call, row)
    return await _move(call, row, status, ended_at=call.now)


async def deliver_shipout(call: Call, row: ShipoutRow) -> ShipoutRow:
    """Record the delivery of a ship-out, and its departure if missing.

    The row must be locked.
    """
    if row.status == ShipoutStatus.CONFIRMED:
        row = await ship_shipout(call, row)
    return await _move(call, row, next_shipout_status(ShipoutStep.DELIVER, row.status))


async def _deliver(call: Call, row: ShipoutRow) -> BoughtDelivery:
    """Create the delivery of a ship-out, a package for each parcel.

    The price is that of the ship-out.
    """
    parcels = await list_leaving_parcels(call, row)
    return await create_bought_delivery(
        call,
        CreateOrder.model_validate(
            {
                "consignee": row.consignee,
                "customer_id": row.customer_id,
                "packages": [_piece(parcel) for parcel in parcels],
                "references": {"shipout": str(row.id)},
                "scheduled_date": row.scheduled_date,
            }
        ),
    )


def _piece(parcel: LeavingParcel) -> Package:
    size = {}
    if parcel.package is not None:
        size = {name: getattr(parcel.package, name) for name in ("length_mm", "width_mm", "height_mm")}
    return Package(weight_g=min(parcel.weight_g, 50_000_000), **size)


async def _move(call: Call, row: ShipoutRow, status: ShipoutStatus, **values: Any) -> ShipoutRow:
    await ShipoutRow.update(call.work, row.id, {**values, "status": status.value})
    return await _announced(call, row.id)


async def _announced(call: Call, shipout_id: int) -> ShipoutRow:
    row = await require_shipout(call, shipout_id)
    call.add_audit_subjects("shipout", row.id)
    await call.publish(ShipoutChanged(shipout_id=row.id, customer_id=row.customer_id, status=row.status))
    return row


async def require_shipout(call: Call, shipout_id: int) -> ShipoutRow:
    """Return a ship-out as it is now. Raises `NOT_FOUND`."""
    row = await ShipoutRow.get(call.work, shipout_id)
    if row is None:
        raise record_not_found(shipout_id=shipout_id)
    return row

"""Ship-outs, their services and estimates, as answers show them."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from haulier.contexts.billing.public import FormFieldRecord, Service, ServicePrice, price_line_name
from haulier.contexts.consolidation.public import InboundParcelRow
from haulier.contexts.orders.delivery_orders.contract.orders import OrderAddressRecord
from haulier.contexts.storage.shipouts.actions import KeptShipoutEstimate
from haulier.contexts.storage.shipouts.contract import (
    ShipoutDetail,
    ShipoutEstimate,
    ShipoutInboundParcel,
    ShipoutParcelRecord,
    ShipoutPriceLine,
    ShipoutService,
    ShipoutSummary,
)
from haulier.contexts.storage.shipouts.rules import ShipoutStatus, contents_of_parcels, shipout_can_be_cancelled
from haulier.contexts.storage.shipouts.store import ShipoutRow
from haulier.contexts.storage.storage_orders.contract import STORAGE
from haulier.contexts.storage.stored_packages.queries import StoredPackageRow
from haulier.contexts.storage.stored_packages.serializers import package_record
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.records import record

FOR_THE_OFFICE = ("shipment_id", "label_fault")
"""Fields of a ship-out that its customer does not see."""


def service_record(call: Call, service: Service) -> ShipoutService:
    """Return a service by which packages are sent."""
    return ShipoutService(
        service_code=service.code,
        name=service.name,
        description=service.description,
        form=[msgspec.convert(field.model_dump(mode="json"), FormFieldRecord) for field in service.form],
        form_schema=service.schema(call.language),
        quote_hours=service.quote_hours,
    )


def estimate_record(call: Call, estimate: KeptShipoutEstimate) -> ShipoutEstimate:
    """Return the estimate of a ship-out as callers see it."""
    priced = estimate.priced
    return ShipoutEstimate(
        quote_id=estimate.id,
        expires_at=call.local_time(estimate.expires_at),
        service_code=priced.service.code,
        parcels=priced.measures.pieces,
        weight_g=priced.measures.weight_g,
        shipping_price=priced.price.total_minor,
        tax=priced.price.tax_minor,
        price_details=_lines(call, priced.price),
        currency=priced.price.currency,
    )


def _lines(call: Call, price: ServicePrice) -> list[ShipoutPriceLine]:
    return [
        ShipoutPriceLine(code=line.code, name=price_line_name(call, line), amount=line.minor) for line in price.lines
    ]


def shipout_summary(call: Call, row: ShipoutRow) -> ShipoutSummary:
    """Return a ship-out in a list."""
    return record(ShipoutSummary, row, **_summary(call, row))


def shipout_detail(
    call: Call, row: ShipoutRow, packages: Sequence[StoredPackageRow], inbound: Sequence[InboundParcelRow]
) -> ShipoutDetail:
    """Return a ship-out with what it takes."""
    price = msgspec.convert(row.price, ServicePrice)
    weights = {package.id: package.weight_g for package in packages}
    weights_in = {parcel.id: parcel.weight_g or 0 for parcel in inbound}
    contents = contents_of_parcels(row.parcels, row.inbound_parcels)
    return record(
        ShipoutDetail,
        row,
        **_summary(call, row),
        consignee=msgspec.convert(row.consignee, OrderAddressRecord),
        parcels=[_parcel(ids, others, weights, weights_in) for ids, others in contents],
        stored_packages=[package_record(call, package) for package in packages],
        inbound_parcels=[record(ShipoutInboundParcel, parcel) for parcel in inbound],
        values=row.form_values,
        tax=price.tax_minor,
        price_details=_lines(call, price),
        without=FOR_THE_OFFICE if call.principal.account is Account.CUSTOMER else (),
        confirmed_at=call.local_time(row.confirmed_at),
        ended_at=call.local_time(row.ended_at),
    )


def _parcel(
    ids: Sequence[int], others: Sequence[int], weights: Mapping[int, int], weights_in: Mapping[int, int]
) -> ShipoutParcelRecord:
    weight_g = sum(weights.get(id, 0) for id in ids) + sum(weights_in.get(id, 0) for id in others)
    return ShipoutParcelRecord(package_ids=list(ids), inbound_parcel_ids=list(others), weight_g=weight_g)


def _summary(call: Call, row: ShipoutRow) -> dict[str, Any]:
    due = 0 if row.status == ShipoutStatus.CANCELLED else row.price_minor - row.paid_minor
    return {
        "shipping_price": row.price_minor,
        "paid_amount": row.paid_minor,
        "balance_due_minor": due,
        "can_be_paid": due > 0 and not call.principal.hides(STORAGE),
        "can_be_cancelled": shipout_can_be_cancelled(row.status),
        "created_at": call.local_time(row.created_at),
    }

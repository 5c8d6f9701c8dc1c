"""Services and shipping orders as answers show them."""

from typing import Any

import msgspec
from msgspec import UNSET

from haulier.contexts.billing.public import FormFieldRecord, PriceLine, Service, ServicePrice, price_line_name
from haulier.contexts.shipping.accounts.contract import ShippingAddressRecord
from haulier.contexts.shipping.shipping_orders.contract import (
    ShippingOrderCharge,
    ShippingOrderDetail,
    ShippingOrderPackageRecord,
    ShippingOrderSummary,
    ShippingServiceConfig,
    ShippingServiceRecord,
)
from haulier.contexts.shipping.shipping_orders.rules import can_be_cancelled, can_be_paid, sender_is_needed
from haulier.contexts.shipping.shipping_orders.store import ShippingOrderRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, PriceFamily
from haulier.kernel.operations.records import record


def service_record(service: Service) -> ShippingServiceRecord:
    """Return a service in a list."""
    return record(ShippingServiceRecord, service, kind=service.kind.value)


def service_config(call: Call, service: Service) -> ShippingServiceConfig:
    """Return a service and what it asks for."""
    return ShippingServiceConfig(
        service=service_record(service),
        form=[msgspec.convert(field.model_dump(mode="json"), FormFieldRecord) for field in service.form],
        form_schema=service.schema(call.language),
        quote_hours=service.quote_hours,
        sender_needed=sender_is_needed(service.pricing, service.fulfilment),
    )


def charges(call: Call, lines: tuple[PriceLine, ...]) -> list[ShippingOrderCharge]:
    """Return the parts of a price, in the caller's language."""
    return [ShippingOrderCharge(code=line.code, name=price_line_name(call, line), amount=line.minor) for line in lines]


def order_summary(call: Call, row: ShippingOrderRow) -> ShippingOrderSummary:
    """Return an order in a list."""
    return record(ShippingOrderSummary, row, **_shared(call, row))


def order_detail(call: Call, row: ShippingOrderRow) -> ShippingOrderDetail:
    """Return an order."""
    price = msgspec.convert(row.price, ServicePrice)
    office = call.principal.account in OFFICE
    shipper = row.terms["shipper"]
    return record(
        ShippingOrderDetail,
        row,
        **_shared(call, row),
        shipper=msgspec.convert(shipper, ShippingAddressRecord) if shipper else None,
        consignee=msgspec.convert(row.terms["consignee"], ShippingAddressRecord),
        packages=msgspec.convert(row.terms["packages"], list[ShippingOrderPackageRecord]),
        values=row.terms["values"],
        tax=price.tax_minor,
        price_details=charges(call, price.lines),
        shipment_id=row.shipment_id if office else UNSET,
        label_fault=row.label_fault if office else UNSET,
        confirmed_at=call.local_time(row.confirmed_at),
        completed_at=call.local_time(row.completed_at),
        cancelled_at=call.local_time(row.cancelled_at),
    )


def _shared(call: Call, row: ShippingOrderRow) -> dict[str, Any]:
    family = PriceFamily(row.price_family)
    owed = can_be_paid(row.state, row.total_minor, row.paid_minor)
    return {
        "price_family": family,
        "shipping_price": row.total_minor,
        "paid_amount": row.paid_minor,
        "amount_due_minor": row.total_minor - row.paid_minor if owed else 0,
        # Callers who cannot see a price settle it with the business.
        "can_be_paid": owed and not call.principal.hides(family),
        "can_be_cancelled": can_be_cancelled(row.state),
        "created_at": call.local_time(row.created_at),
        "updated_at": call.local_time(row.updated_at),
    }

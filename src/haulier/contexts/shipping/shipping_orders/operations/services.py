"""Services, as customers find and estimate them."""

from datetime import datetime

from msgspec import Struct

from haulier.contexts.billing.public import (
    SERVICE_OUT_OF_AREA,
    SERVICE_PRICE_OUT_OF_RANGE,
    Service,
    find_offered_service,
    keep_service_quote,
    list_offered_services,
)
from haulier.contexts.shipping.labels.queries import call_of
from haulier.contexts.shipping.shipping_orders.actions.orders import MEASURES, PricedOrder, price_order
from haulier.contexts.shipping.shipping_orders.contract.services import (
    EstimateShippingOrder,
    ListShippingServices,
    ShippingOrderEstimate,
    ShippingServiceConfig,
    ShippingServiceList,
    ShippingServiceRef,
)
from haulier.contexts.shipping.shipping_orders.rules.lifecycle import ORDERABLE_KINDS
from haulier.contexts.shipping.shipping_orders.serializers import charges, service_config, service_record
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import Account, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.request_context import RequestContext

PATH = "/v1/customer/shipping-orders/services"
SERVICE_PATH = f"{PATH}/{{service_code}}"
CUSTOMERS = {Account.CUSTOMER}
READ_SCOPES = {Scope.CUSTOMER_SHIPPING_READ}
NOT_KEPT = 0


@reads(
    "list_shipping_services",
    audience=CUSTOMERS,
    scopes=READ_SCOPES,
    doors=(
        Rest("GET", PATH),
        GraphQL("shippingServices"),
        Mcp("list_shipping_services", title="List services that you can order"),
    ),
)
async def list_shipping_services(call: Call, request: ListShippingServices) -> ShippingServiceList:
    """List the services that you can order: parcels, LTL freight, moving."""
    services = await list_offered_services(call, ORDERABLE_KINDS)
    return ShippingServiceList(
        services=[service_record(service) for service in services if request.kind in (None, service.kind.value)]
    )


@reads(
    "get_shipping_service_config",
    audience=CUSTOMERS,
    scopes=READ_SCOPES,
    doors=(
        Rest("GET", SERVICE_PATH),
        GraphQL("shippingServiceConfig"),
        Mcp("get_shipping_service_config", title="Show what a service asks for"),
    ),
    errors=(NOT_FOUND,),
)
async def get_shipping_service_config(call: Call, request: ShippingServiceRef) -> ShippingServiceConfig:
    """Show what an order of a service must say: its form, as fields and as JSON Schema."""
    return service_config(call, await find_offered_service(call, request.service_code, ORDERABLE_KINDS))


class KeptEstimate(Struct, frozen=True):
    """A price that was kept."""

    service: Service
    priced: PricedOrder
    quote_id: int
    expires_at: datetime


async def keep_estimate(context: RequestContext, request: EstimateShippingOrder) -> KeptEstimate:
    """Price what would be ordered, and keep it as a quote, save in a rehearsal."""
    async with context.app.database.write(context.principal.client_id) as work:
        call = call_of(context, work)
        service = await find_offered_service(call, request.service_code, ORDERABLE_KINDS)
        priced = price_order(service, request)
        if context.dry_run:
            return KeptEstimate(service, priced, NOT_KEPT, call.now)
        quote = await keep_service_quote(
            call,
            service,
            priced.price,
            customer_id=call.actor,
            values=priced.values,
            details={MEASURES: priced.measures},
        )
        return KeptEstimate(service, priced, quote.id, quote.expires_at)


@reads(
    "estimate_shipping_order",
    audience=CUSTOMERS,
    scopes=READ_SCOPES,
    doors=(
        Rest("POST", f"{SERVICE_PATH}/estimate-price"),
        GraphQL("shippingOrderEstimate"),
        Mcp("estimate_shipping_order", title="Estimate a shipping order"),
    ),
    prepare=keep_estimate,
    errors=(NOT_FOUND, SERVICE_OUT_OF_AREA, SERVICE_PRICE_OUT_OF_RANGE),
)
async def estimate_shipping_order(call: Call, request: EstimateShippingOrder) -> ShippingOrderEstimate:
    """Show what an order would cost. With its `quote_id` an order gets this price until it expires."""
    kept: KeptEstimate = call.prepared
    price = kept.priced.price
    return ShippingOrderEstimate(
        service_code=kept.service.code,
        quote_id=kept.quote_id,
        expires_at=call.local_time(kept.expires_at),
        price_family=kept.service.family,
        shipping_price=price.total_minor,
        tax=price.tax_minor,
        currency=price.currency,
        price_details=charges(call, price.lines),
    )

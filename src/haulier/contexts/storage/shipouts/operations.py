"""Operations on shipouts."""

from typing import Any

from haulier.contexts.billing.public import (
    CREDIT_INSUFFICIENT,
    SERVICE_OUT_OF_AREA,
    SERVICE_PRICE_OUT_OF_RANGE,
    SERVICE_QUOTE_EXPIRED,
    SERVICE_QUOTE_TAKEN,
    ServiceKind,
    list_offered_services,
)
from haulier.contexts.consolidation.public import INBOUND_STEP_REFUSED, list_ship_out_parcels
from haulier.contexts.storage.shipouts import actions, store
from haulier.contexts.storage.shipouts.actions import KeptShipoutEstimate, estimate_request
from haulier.contexts.storage.shipouts.contract import (
    ConfirmShipout,
    CreateShipout,
    EstimateShipout,
    ListCustomerShipouts,
    ListShipouts,
    ShipoutAnswer,
    ShipoutEstimate,
    ShipoutList,
    ShipoutRef,
    ShipoutServiceList,
)
from haulier.contexts.storage.shipouts.queries import get_visible_shipout
from haulier.contexts.storage.shipouts.rules import (
    INBOUND_PARCEL_NOT_MEASURED,
    SHIPOUT_LIFE,
    SHIPOUT_QUOTE_MISMATCH,
    SHIPOUT_STEP_REFUSED,
    ShipoutStep,
)
from haulier.contexts.storage.shipouts.serializers import (
    estimate_record,
    service_record,
    shipout_detail,
    shipout_summary,
)
from haulier.contexts.storage.shipouts.store import ShipoutRow
from haulier.contexts.storage.storage_orders.contract import STORAGE
from haulier.contexts.storage.storage_orders.rules import NOTHING_OWED
from haulier.contexts.storage.stored_packages.queries import list_packages_of_shipouts
from haulier.contexts.storage.stored_packages.rules import PACKAGE_NOT_FREE
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, PRICE_HIDDEN
from haulier.kernel.pipeline.hide_prices import require_price_visible
from haulier.kernel.values.pagination import total_fields

FILTERS = {"status", "shipout_ref", "tracking_number", "customer_id"}


async def list_rows(call: Call, request: ListShipouts, **own: Any) -> ShipoutList:
    """Return a page of ship-outs, newest first."""
    wanted = request.model_dump(include=FILTERS, exclude_none=True) | own
    rows, counted = await store.list_shipout_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return ShipoutList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        shipouts=[shipout_summary(call, row) for row in rows],
    )


async def shipout_answer(call: Call, row: ShipoutRow) -> ShipoutAnswer:
    """Return a ship-out with its contents; a cancelled one has none."""
    packages = (await list_packages_of_shipouts(call, [row.id]))[row.id]
    inbound = await list_ship_out_parcels(call.work, row.id) if row.inbound_parcels else ()
    return ShipoutAnswer(shipout=shipout_detail(call, row, packages, inbound))


CUSTOMER = frozenset({Account.CUSTOMER})
CUSTOMERS_PATH = "/v1/customer/shipout-orders"
SERVICE_PATH = f"{CUSTOMERS_PATH}/services/{{service_code}}"
SHIPOUT_PATH = f"{CUSTOMERS_PATH}/{{shipout_id}}"
PRICE_ERRORS = (
    NOT_FOUND,
    PACKAGE_NOT_FREE,
    INBOUND_STEP_REFUSED,
    INBOUND_PARCEL_NOT_MEASURED,
    SERVICE_OUT_OF_AREA,
    SERVICE_PRICE_OUT_OF_RANGE,
)


@reads(
    "list_shipout_services",
    audience=CUSTOMER,
    scopes={Scope.STORAGE_READ},
    interfaces=(
        Rest("GET", f"{CUSTOMERS_PATH}/services"),
        GraphQL("customerShipoutServices"),
        Mcp("list_shipout_services", title="List ship-out services"),
    ),
)
async def list_shipout_services(call: Call, request: EmptyRequest) -> ShipoutServiceList:
    """List the services for shipping stored packages.

    Includes the form fields of each service.
    """
    services = await list_offered_services(call, [ServiceKind.SHIPOUT])
    return ShipoutServiceList(services=[service_record(call, service) for service in services])


@reads(
    "estimate_shipout",
    audience=CUSTOMER,
    scopes={Scope.STORAGE_READ},
    interfaces=(
        Rest("POST", f"{SERVICE_PATH}/estimate"),
        GraphQL("estimateShipout"),
        Mcp("estimate_shipout", title="Estimate a ship-out"),
    ),
    prepare=estimate_request,
    errors=PRICE_ERRORS,
)
async def estimate_shipout(call: Call, request: EstimateShipout) -> ShipoutEstimate:
    """Estimate the price of a ship-out.

    A ship-out created with the `quote_id` has this price until the quote expires.
    """
    estimate: KeptShipoutEstimate = call.prepared
    return estimate_record(call, estimate)


@writes(
    "create_shipout",
    audience=CUSTOMER,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", f"{SERVICE_PATH}/orders"),
        GraphQL("createShipout"),
        Mcp("create_shipout", title="Create a ship-out"),
    ),
    errors=(*PRICE_ERRORS, SERVICE_QUOTE_EXPIRED, SERVICE_QUOTE_TAKEN, SHIPOUT_QUOTE_MISMATCH),
)
async def create_shipout(call: Call, request: CreateShipout) -> ShipoutAnswer:
    """Create a ship-out of stored packages.

    Packages are sent as they are, or several in one parcel. A package can be in one ship-out at a time; of two
    concurrent requests, one succeeds.
    """
    return await shipout_answer(call, await actions.create_shipout(call, request))


@reads(
    "list_shipouts",
    audience=CUSTOMER,
    scopes={Scope.STORAGE_READ},
    interfaces=(
        Rest("GET", CUSTOMERS_PATH),
        GraphQL("customerShipouts"),
        Mcp("list_shipouts", title="List your ship-outs"),
    ),
)
async def list_shipouts(call: Call, request: ListShipouts) -> ShipoutList:
    """List your ship-outs, newest first."""
    return await list_rows(call, request, customer_id=call.actor or 0)


@reads(
    "get_shipout",
    audience=CUSTOMER,
    scopes={Scope.STORAGE_READ},
    interfaces=(Rest("GET", SHIPOUT_PATH), GraphQL("customerShipout"), Mcp("get_shipout", title="Get a ship-out")),
    errors=(NOT_FOUND,),
)
async def get_shipout(call: Call, request: ShipoutRef) -> ShipoutAnswer:
    """Retrieve one of your ship-outs.

    Includes its packages and tracking number.
    """
    return await shipout_answer(call, await get_visible_shipout(call, request.shipout_id))


@writes(
    "pay_shipout",
    audience=CUSTOMER,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", f"{SHIPOUT_PATH}/pay"),
        GraphQL("payShipout"),
        Mcp("pay_shipout", title="Pay a ship-out"),
    ),
    errors=(NOT_FOUND, PRICE_HIDDEN, NOTHING_OWED, CREDIT_INSUFFICIENT),
)
async def pay_shipout(call: Call, request: ShipoutRef) -> ShipoutAnswer:
    """Pay a ship-out from your credit.

    The full amount due is charged, or nothing.
    """
    row = await get_visible_shipout(call, request.shipout_id, lock=True)
    require_price_visible(call.principal.hidden_prices, STORAGE)
    return await shipout_answer(call, await actions.pay_shipout(call, row))


@writes(
    "cancel_shipout",
    available_when={"status": SHIPOUT_LIFE.allowing(ShipoutStep.CANCEL)},
    audience=CUSTOMER,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", f"{SHIPOUT_PATH}/cancel"),
        GraphQL("cancelShipout"),
        Mcp("cancel_shipout", title="Cancel a ship-out"),
    ),
    errors=(NOT_FOUND, SHIPOUT_STEP_REFUSED),
)
async def cancel_shipout(call: Call, request: ShipoutRef) -> ShipoutAnswer:
    """Cancel a ship-out that has not left.

    Its packages are released, and payments are refunded to your credit.
    """
    row = await get_visible_shipout(call, request.shipout_id, lock=True)
    return await shipout_answer(call, await actions.cancel_shipout(call, row))


OFFICE_PATH = "/v1/storage/shipouts"
OFFICE_SHIPOUT_PATH = f"{OFFICE_PATH}/{{shipout_id}}"


@reads(
    "list_customer_shipouts",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", OFFICE_PATH), GraphQL("shipouts")),
)
async def list_customer_shipouts(call: Call, request: ListCustomerShipouts) -> ShipoutList:
    """List ship-outs of customers, newest first."""
    return await list_rows(call, request)


@reads(
    "get_customer_shipout",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", OFFICE_SHIPOUT_PATH), GraphQL("shipout")),
    errors=(NOT_FOUND,),
)
async def get_customer_shipout(call: Call, request: ShipoutRef) -> ShipoutAnswer:
    """Retrieve a ship-out of a customer.

    Includes the parcels, their packages and the destination.
    """
    return await shipout_answer(call, await get_visible_shipout(call, request.shipout_id))


@writes(
    "confirm_shipout",
    available_when={"status": SHIPOUT_LIFE.allowing(ShipoutStep.CONFIRM)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{OFFICE_SHIPOUT_PATH}/confirm"), GraphQL("confirmShipout")),
    errors=(NOT_FOUND, SHIPOUT_STEP_REFUSED),
)
async def confirm_shipout(call: Call, request: ConfirmShipout) -> ShipoutAnswer:
    """Confirm a ship-out.

    It becomes a local delivery with a package for each parcel, or a shipping label is bought in the background. If no
    carrier sold a label, confirm again to retry.
    """
    row = await get_visible_shipout(call, request.shipout_id, lock=True)
    return await shipout_answer(call, await actions.confirm_shipout(call, row, request))


@writes(
    "ship_shipout",
    available_when={"status": SHIPOUT_LIFE.allowing(ShipoutStep.SHIP)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{OFFICE_SHIPOUT_PATH}/ship"), GraphQL("shipShipout")),
    errors=(NOT_FOUND, SHIPOUT_STEP_REFUSED),
)
async def ship_shipout(call: Call, request: ShipoutRef) -> ShipoutAnswer:
    """Mark a ship-out as shipped.

    Its packages leave stock, and their storage fees end on this day.
    """
    row = await get_visible_shipout(call, request.shipout_id, lock=True)
    return await shipout_answer(call, await actions.ship_shipout(call, row))

"""Customers estimate, order, pay and cancel ship-outs."""

from haulier.contexts.billing.public import (
    CREDIT_INSUFFICIENT,
    SERVICE_OUT_OF_AREA,
    SERVICE_PRICE_OUT_OF_RANGE,
    SERVICE_QUOTE_EXPIRED,
    SERVICE_QUOTE_TAKEN,
    ServiceKind,
    list_offered_services,
)
from haulier.contexts.consolidation.public import INBOUND_STEP_REFUSED
from haulier.contexts.storage.shipouts.actions import orders as actions
from haulier.contexts.storage.shipouts.actions.estimates import KeptShipoutEstimate, estimate_wish
from haulier.contexts.storage.shipouts.contract import (
    CreateShipout,
    EstimateShipout,
    ListShipouts,
    ShipoutAnswer,
    ShipoutEstimate,
    ShipoutList,
    ShipoutRef,
    ShipoutServiceList,
)
from haulier.contexts.storage.shipouts.operations.answers import list_rows, shipout_answer
from haulier.contexts.storage.shipouts.queries import get_visible_shipout
from haulier.contexts.storage.shipouts.rules import (
    INBOUND_PARCEL_NOT_MEASURED,
    SHIPOUT_LIFE,
    SHIPOUT_QUOTE_MISMATCH,
    SHIPOUT_STEP_REFUSED,
    ShipoutStep,
)
from haulier.contexts.storage.shipouts.serializers import estimate_record, service_record
from haulier.contexts.storage.storage_orders.contract.tariffs import STORAGE
from haulier.contexts.storage.storage_orders.rules.lifecycle import NOTHING_OWED
from haulier.contexts.storage.stored_packages.rules import PACKAGE_NOT_FREE
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, PRICE_HIDDEN
from haulier.kernel.pipeline.hide_prices import require_price_visible

CUSTOMER = frozenset({Account.CUSTOMER})
PATH = "/v1/customer/shipout-orders"
SERVICE_PATH = f"{PATH}/services/{{service_code}}"
SHIPOUT_PATH = f"{PATH}/{{shipout_id}}"
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
    doors=(
        Rest("GET", f"{PATH}/services"),
        GraphQL("customerShipoutServices"),
        Mcp("list_shipout_services", title="List services that send stored packages"),
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
    doors=(
        Rest("POST", f"{SERVICE_PATH}/estimate"),
        GraphQL("estimateShipout"),
        Mcp("estimate_shipout", title="Estimate a ship-out"),
    ),
    prepare=estimate_wish,
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
    doors=(
        Rest("POST", f"{SERVICE_PATH}/orders"),
        GraphQL("createShipout"),
        Mcp("create_shipout", title="Send stored packages"),
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
    doors=(Rest("GET", PATH), GraphQL("customerShipouts"), Mcp("list_shipouts", title="List your ship-outs")),
)
async def list_shipouts(call: Call, request: ListShipouts) -> ShipoutList:
    """List your ship-outs, newest first."""
    return await list_rows(call, request, customer_id=call.actor or 0)


@reads(
    "get_shipout",
    audience=CUSTOMER,
    scopes={Scope.STORAGE_READ},
    doors=(Rest("GET", SHIPOUT_PATH), GraphQL("customerShipout"), Mcp("get_shipout", title="Show your ship-out")),
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
    doors=(Rest("POST", f"{SHIPOUT_PATH}/pay"), GraphQL("payShipout"), Mcp("pay_shipout", title="Pay for a ship-out")),
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
    allowed_where={"status": SHIPOUT_LIFE.allowing(ShipoutStep.CANCEL)},
    audience=CUSTOMER,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(
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

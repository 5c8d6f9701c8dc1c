"""The office confirms ship-outs and notes that they have left."""

from haulier.contexts.storage.shipouts.actions import orders as actions
from haulier.contexts.storage.shipouts.contract import (
    ConfirmShipout,
    ListCustomerShipouts,
    ShipoutAnswer,
    ShipoutList,
    ShipoutRef,
)
from haulier.contexts.storage.shipouts.operations.answers import list_rows, shipout_answer
from haulier.contexts.storage.shipouts.queries import get_visible_shipout
from haulier.contexts.storage.shipouts.rules import SHIPOUT_LIFE, SHIPOUT_STEP_REFUSED, ShipoutStep
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

PATH = "/v1/storage/shipouts"
SHIPOUT_PATH = f"{PATH}/{{shipout_id}}"


@reads(
    "list_customer_shipouts",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", PATH), GraphQL("shipouts")),
)
async def list_customer_shipouts(call: Call, request: ListCustomerShipouts) -> ShipoutList:
    """List ship-outs of customers, newest first."""
    return await list_rows(call, request)


@reads(
    "get_customer_shipout",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", SHIPOUT_PATH), GraphQL("shipout")),
    errors=(NOT_FOUND,),
)
async def get_customer_shipout(call: Call, request: ShipoutRef) -> ShipoutAnswer:
    """Retrieve a ship-out of a customer.

    Includes the parcels, their packages and the destination.
    """
    return await shipout_answer(call, await get_visible_shipout(call, request.shipout_id))


@writes(
    "confirm_shipout",
    allowed_where={"status": SHIPOUT_LIFE.allowing(ShipoutStep.CONFIRM)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{SHIPOUT_PATH}/confirm"), GraphQL("confirmShipout")),
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
    allowed_where={"status": SHIPOUT_LIFE.allowing(ShipoutStep.SHIP)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{SHIPOUT_PATH}/ship"), GraphQL("shipShipout")),
    errors=(NOT_FOUND, SHIPOUT_STEP_REFUSED),
)
async def ship_shipout(call: Call, request: ShipoutRef) -> ShipoutAnswer:
    """Mark a ship-out as shipped.

    Its packages leave stock, and their storage fees end on this day.
    """
    row = await get_visible_shipout(call, request.shipout_id, lock=True)
    return await shipout_answer(call, await actions.ship_shipout(call, row))

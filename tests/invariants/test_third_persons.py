"""Customers and the public see neither name nor place of another receiver."""

from typing import Any, get_args

from tests.contexts.driver_app.makers import make_upload
from tests.invariants.example_requests import make_request_for
from tests.support.app import App
from tests.support.transport import make_order, make_started_route

from haulier.app import registry
from haulier.contexts.otep.public import FormatName
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Account, Effect

NAME, PLACE = b"Zyta Quist", b"Behind the quince"
RECIPIENTS_OWN = {"get_delivery"}
"""Reads with the access of a recipient who has given a proof."""


async def make_neighbour_delivery(app: App) -> dict[str, Any]:
    """Deliver an order to a neighbour and return the fields that name it."""
    order_id = await make_order(app, customer_id=app.ids["customer"], order_ref="R-1", packages=[{"weight_g": 500}] * 2)
    route = await make_started_route(app, [order_id])
    (stop,) = route.stops
    await make_upload(app, stop.id)
    outcome: dict[str, Any] = {"handed_to": "neighbour", "recipient": NAME.decode(), "left_at": PLACE.decode()}
    outcome["pieces"] = [{"barcode": f"{stop.tracking_number}-2", "outcome": "missing"}]
    await app.answer("driver", "rider_deliver", {"route_id": route.id, "stop_id": stop.id, **outcome})
    await app.work_off()
    number = stop.tracking_number
    access = (await app.answer(None, "open_delivery", {"number": number, "proof": "M5V 2T6"})).access
    one = {"order_id": order_id, "order_ref": "R-1", "tracking_number": number, "number": number, "access": access}
    many = {"order_ids": [order_id], "tracking_numbers": [number]}
    return {**one, **many, "route_id": route.id, "stop_id": stop.id}


def asked_of(operation: Operation[Any, Any], known: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a request by each field that names the delivery, in each format."""
    fields = {about.alias or name for name, about in operation.request.model_fields.items()}
    plain = make_request_for(operation, {})
    asked = [
        make_request_for(operation, known),
        *({**plain, name: known[name]} for name in sorted(known) if name in fields),
    ]
    if operation.request.model_fields.get("format") and operation.name.startswith("otep_"):
        asked = [{**each, "format": format} for each in asked for format in get_args(FormatName)]
    return asked


async def reads_with_a_name(app: App, who: str | None, accounts: set[Account], known: dict[str, Any]) -> set[str]:
    """Return the reads that show an account the neighbour's name or the place."""
    shown: set[str] = set()
    for operation in registry():
        if operation.effect is Effect.WRITE or not accounts & operation.audience:
            continue
        for asked in asked_of(operation, known):
            answer = (await app.call(who, operation.name, asked)).answer
            body = codec.encode_json(answer) if answer is not None else b""
            if NAME in body or PLACE in body:
                shown.add(operation.name)
    return shown


async def test_no_read_shows_a_neighbours_name_to_customers_or_the_public(app: App) -> None:
    known = await make_neighbour_delivery(app)
    assert await reads_with_a_name(app, "customer", {Account.CUSTOMER, Account.PUBLIC}, known) == RECIPIENTS_OWN
    assert await reads_with_a_name(app, None, {Account.PUBLIC}, known) == RECIPIENTS_OWN
    to_the_office = await reads_with_a_name(app, "admin", {Account.CLIENT_ADMIN, Account.PUBLIC}, known)
    events = {"get_operation_events", "otep_tracking", "otep_timeline", "otep_events", "otep_trackings_batch"}
    assert {*events, "otep_client_tracking", "get_order_proof"} <= to_the_office


async def test_a_customer_sees_that_a_neighbour_accepted_the_delivery(app: App) -> None:
    known = await make_neighbour_delivery(app)
    asked = {"order_ids": known["order_ids"]}
    event = (await app.answer("customer", "get_operation_events", asked)).trackings[0].timeline.events[-1]
    assert (event.description, event.outcome.handed_to) == ("Left with a neighbour, 1 of 2 pieces", "neighbour")
    proof = (await app.answer("customer", "get_order_proof", {"order_id": known["order_id"]})).proof
    shown = (proof.outcome, proof.handed_to, proof.recipient, proof.left_at)
    assert shown == ("Left with a neighbour", "neighbour", None, None)

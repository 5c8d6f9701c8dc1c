"""Answers about ship jobs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct

from haulier.contexts.orders.public import OrderFacts, OrderShelf, get_order_facts
from haulier.contexts.shipping.labels.queries import ShipmentWithNumbers, get_shipments
from haulier.contexts.shipping.labels.rules import ShipmentState
from haulier.contexts.shipping.order_shipments.queries import get_shelves
from haulier.contexts.shipping.order_shipments.serializers import shipment_problem
from haulier.contexts.shipping.ship_jobs.contract import ShipJob, ShipOutcome
from haulier.contexts.shipping.ship_jobs.store import ShipJobRow
from haulier.kernel.call import Call
from haulier.kernel.operations.stored_errors import render_stored_error
from haulier.kernel.values.batch_states import batch_state


class JobRecords(Struct, frozen=True):
    """Orders, shelves and shipments of a ship job, by their ids."""

    orders: Mapping[int, OrderFacts]
    shelves: Mapping[int, OrderShelf]
    shipments: Mapping[int, ShipmentWithNumbers]


def serialize_ship_job(call: Call, row: ShipJobRow) -> ShipJob:
    """Return the progress of a ship job."""
    refused = sum(each["state"] == "refused" for each in row.outcomes)
    total, done = len(row.order_ids), len(row.outcomes)
    return ShipJob(
        id=row.id,
        state=batch_state(total, done, refused, row.finished_at, None),
        total=total,
        done=done,
        shipped=done - refused,
        refused=refused,
        created_at=call.local_time(row.created_at),
        finished_at=call.local_time(row.finished_at),
    )


async def serialize_outcomes(call: Call, row: ShipJobRow, sort: str) -> list[ShipOutcome]:
    """Return the outcome of each order of a ship job. At most four statements."""
    waiting = ({"order_id": order_id, "state": "queued"} for order_id in row.order_ids[len(row.outcomes) :])
    documents = [*row.outcomes, *waiting]
    bought = [each["shipment_id"] for each in row.outcomes if each.get("shipment_id")]
    records = JobRecords(
        await get_order_facts(call, row.order_ids),
        await get_shelves(call, row.order_ids),
        await get_shipments(call.work, bought),
    )
    return [_outcome(call, each, records) for each in _sorted(documents, records, sort)]


def _sorted(documents: Sequence[Mapping[str, Any]], records: JobRecords, sort: str) -> Sequence[Mapping[str, Any]]:
    """Return the documents in the requested order; those without its key are last."""
    keys: dict[str, Callable[[int], Any]] = {
        "shelf": records.shelves.get,
        "reference": lambda order_id: (order := records.orders.get(order_id)) and order.order_ref,
    }
    if sort not in keys:
        return documents
    found = [(keys[sort](each["order_id"]), number, each) for number, each in enumerate(documents)]
    named = sorted((key, number) for key, number, _ in found if key is not None)
    rest = [number for key, number, _ in found if key is None]
    return [documents[number] for number in [*(number for _, number in named), *rest]]


def _outcome(call: Call, document: Mapping[str, Any], records: JobRecords) -> ShipOutcome:
    fault = document.get("fault")
    error = render_stored_error(fault, call.app.catalogues, call.language) if fault else None
    order = records.orders.get(document["order_id"])
    shelf = records.shelves.get(document["order_id"])
    found = records.shipments.get(document.get("shipment_id") or 0)
    row = found and found.row
    failed = row is not None and row.state == ShipmentState.FAILED
    return ShipOutcome(
        order_id=document["order_id"],
        order_ref=order and order.order_ref,
        name=order and order.name,
        shelf=shelf and shelf.code,
        state=document["state"],
        shipment_id=document.get("shipment_id"),
        choice=document.get("choice"),
        code=error and error.code,
        message=error.message if error else shipment_problem(call, row) if row and failed else None,
        shipment_state=row and row.state,
        carrier=row and row.carrier,
        service_name=row and row.service_name,
        tracking_number=row and row.tracking_number,
        shipping_price=row.price_minor if row else UNSET,
        currency=row.currency if row else UNSET,
    )

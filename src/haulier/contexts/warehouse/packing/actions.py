"""Storage of packing plans for orders and shipments."""

from typing import Any

import msgspec

from haulier.contexts.orders.public import get_visible_order
from haulier.contexts.shipping.public import get_visible_shipment
from haulier.contexts.warehouse.packing import store
from haulier.contexts.warehouse.packing.rules import input_hash, objective_of, plan_digest
from haulier.contexts.warehouse.packing.store import PackingPlanRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.solvers.packing.plan import PackingPlan
from haulier.solvers.packing.problem import PackingProblem

PackingSubject = tuple[str, int]
"""`order` or `shipment`, and its id."""


async def lock_packing_subject(call: Call, order_id: int | None, shipment_id: int | None) -> PackingSubject:
    """Lock and return the subject of a plan.

    Concurrent plans replace each other. Raises `NOT_FOUND`, `INVALID_REQUEST`.
    """
    if order_id is not None and shipment_id is None:
        return "order", (await get_visible_order(call, order_id, lock=True)).id
    if shipment_id is not None and order_id is None:
        return "shipment", (await get_visible_shipment(call, shipment_id, lock=True)).id
    raise INVALID_REQUEST.for_fields(FieldError("order_id", "field.packing_subject"))


async def save_packing_plan(
    call: Call, subject: PackingSubject, answered: tuple[PackingProblem, PackingPlan], codes: dict[str, str]
) -> PackingPlanRow:
    """Save a checked plan for a locked subject and replace the earlier one.

    Saving the same plan again changes nothing.
    """
    problem, plan = answered
    hash = input_hash(problem)
    volume, count, cost = objective_of(problem, plan)
    values: dict[str, Any] = {
        "subject": subject[0],
        "subject_id": subject[1],
        "digest": plan_digest(hash, plan),
        "input_hash": hash,
        "problem": msgspec.to_builtins(problem),
        "plan": {**msgspec.to_builtins(plan), "codes": {id: code for id, code in codes.items() if id in plan.cartons}},
        "pieces": len(problem.pieces),
        "outer_volume_mm3": volume,
        "cartons": count,
        "cost_minor": cost,
        "created_at": call.now,
        "created_by": call.actor,
        "replaced_at": None,
    }
    row = await store.insert_plan(call.work, values, call.now)
    call.add_audit_subjects("packing_plan", row.id)
    call.add_audit_subjects(*subject)
    return row

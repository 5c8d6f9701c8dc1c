"""Packing requests as solver problems."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from haulier.contexts.orders.public import (
    find_orders_by_reference,
    find_pieces_by_number,
    list_order_pieces,
    require_visible_orders,
)
from haulier.contexts.warehouse.packing import store
from haulier.contexts.warehouse.packing.contract.plans import CARTONS_MAX, PIECES_MAX, PackingQuestion, PieceRules
from haulier.contexts.warehouse.packing.errors import (
    NO_CARTONS,
    PIECE_WITHOUT_SIZE,
    TOO_MANY_PIECES,
)
from haulier.contexts.warehouse.packing.rules import carton_contents, carton_weight, pieces_of
from haulier.contexts.warehouse.packing.store import CartonRow, FillingRow, PackingPlanRow
from haulier.contexts.warehouse.picking.errors import PACKING_PLAN_STALE
from haulier.contexts.warehouse.ports import PlannedCarton
from haulier.contexts.warehouse.stock.actions import load_known_products
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError, record_not_found
from haulier.solvers.loading.problem import LoadPiece
from haulier.solvers.packing.plan import PackingPlan
from haulier.solvers.packing.problem import CartonKind, PackingPiece, PackingProblem, VoidFill


async def load_problem(
    call: Call, question: PackingQuestion, *, most: int = PIECES_MAX
) -> tuple[PackingProblem, dict[int, CartonRow]]:
    """Return the solver's problem of a request, and its cartons by id.

    Cartons are named by their ids. Raises `NOT_FOUND`, `UNKNOWN_SKU`, `NO_CARTONS`, `PIECE_WITHOUT_SIZE`,
    `TOO_MANY_PIECES`, `INVALID_REQUEST`.
    """
    rows = await _load_cartons(call, question)
    rule = await load_filling(call, question, fragile_cushion_mm=question.fragile_cushion_mm)
    await require_visible_orders(call, sorted(question.order_ids))
    if not rows:
        raise NO_CARTONS()
    pieces = [
        *_pieces_of_call(question, rule.around),
        *await _pieces_of_products(call, question, rule.around),
        *await _pieces_of_orders(call, question),
    ]
    if not pieces:
        raise INVALID_REQUEST.for_fields(FieldError("pieces", "field.nothing_to_pack"))
    if len(pieces) > most:
        raise TOO_MANY_PIECES(count=most)
    if twice := [name for name, count in Counter(piece.id for piece in pieces).items() if count > 1]:
        raise INVALID_REQUEST.for_fields(FieldError("pieces", "field.piece_named_twice", {"piece": twice[0]}))
    problem = PackingProblem(
        pieces=tuple(pieces),
        cartons=tuple(map(_kind, rows.values())),
        fill_cap_percent=question.target_utilization_percent,
        support_percent=question.support_percent,
        apart=tuple((one, other) for one, other in question.apart),
        filling=rule.filling,
        wall_cushion=rule.along,
    )
    return problem, rows


class FillingRule(msgspec.Struct, frozen=True):
    """Filling and cushions of a packing request."""

    filling: VoidFill | None
    around: int
    """Millimetres around fragile items."""
    along: int
    """Millimetres along the walls."""


class AsksForFilling(Protocol):
    """A question that says what fills its cartons."""

    fill_voids: bool
    filling_id: int | None
    wall_cushion_mm: int | None


async def load_filling(call: Call, question: AsksForFilling, *, fragile_cushion_mm: int | None) -> FillingRule:
    """Return the filling of a question, named by its code, and its cushions.

    Raises `NOT_FOUND`.
    """
    row = await store.find_usable_filling(call.work, question.filling_id) if question.fill_voids else None
    if row is None and question.fill_voids and question.filling_id is not None:
        raise record_not_found(filling_id=question.filling_id)
    around, along = fragile_cushion_mm, question.wall_cushion_mm
    return FillingRule(
        row and VoidFill(id=row.code, unit_mm3=row.unit_mm3, unit_g=row.unit_g, unit_cents=row.unit_cost_minor),
        around if around is not None else row.fragile_cushion_mm if row else 0,
        along if along is not None else row.wall_cushion_mm if row else 0,
    )


async def _load_cartons(call: Call, question: PackingQuestion) -> dict[int, CartonRow]:
    rows = {row.id: row for row in await store.list_usable_cartons(call.work, question.carton_ids, limit=CARTONS_MAX)}
    for carton_id in sorted(question.carton_ids or ()):
        if carton_id not in rows:
            raise record_not_found(carton_ids=carton_id)
    return rows


async def list_carton_kinds(call: Call) -> tuple[list[CartonKind], dict[str, str]]:
    """Return the kinds of cartons for plans, named by id, and their codes."""
    rows = await store.list_usable_cartons(call.work, None, limit=CARTONS_MAX)
    return [_kind(row) for row in rows], {str(row.id): row.code for row in rows}


def _kind(row: CartonRow) -> CartonKind:
    return CartonKind(
        id=str(row.id),
        inner=(row.inner_length_mm, row.inner_width_mm, row.inner_height_mm),
        outer=(row.outer_length_mm, row.outer_width_mm, row.outer_height_mm),
        tare_g=row.tare_g,
        payload_g=row.payload_g,
        cost_cents=row.cost_minor,
        stock=row.stock,
    )


def _pieces_of_call(question: PackingQuestion, cushion_mm: int) -> list[PackingPiece]:
    return [
        piece
        for line in question.pieces
        for piece in pieces_of(
            line.id, (line.length_mm, line.width_mm, line.height_mm), line.weight_g, line.quantity, line, cushion_mm
        )
    ]


async def _pieces_of_products(call: Call, question: PackingQuestion, cushion_mm: int) -> list[PackingPiece]:
    skus = [line.sku for line in question.products]
    products = await load_known_products(call, skus, path="products.{at}.") if skus else {}
    pieces: list[PackingPiece] = []
    for at, line in enumerate(question.products):
        row = products[line.sku]
        if not (row.length_mm and row.width_mm and row.height_mm):
            raise _without_size(f"products.{at}.sku", line.sku)
        size = (row.length_mm, row.width_mm, row.height_mm)
        pieces += pieces_of(line.sku, size, row.weight_g, line.quantity, line, cushion_mm)
    return pieces


async def _pieces_of_orders(call: Call, question: PackingQuestion) -> Sequence[PackingPiece]:
    if not question.order_ids:
        return []
    order_ids = sorted(question.order_ids)
    pieces: list[PackingPiece] = []
    for piece in sorted(await list_order_pieces(call, order_ids), key=lambda each: each.tracking_number):
        if not (piece.length_mm and piece.width_mm and piece.height_mm):
            raise PIECE_WITHOUT_SIZE.for_fields(
                FieldError("order_ids", "field.piece_without_size", {"piece": piece.tracking_number}),
                piece=piece.tracking_number,
            )
        size = (piece.length_mm, piece.width_mm, piece.height_mm)
        pieces += pieces_of(piece.tracking_number, size, piece.weight_g, 1, PieceRules(), 0)
    return pieces


def _without_size(field: str, piece: str) -> OperationError:
    return PIECE_WITHOUT_SIZE.for_fields(FieldError(field, "field.piece_without_size", {"piece": piece}), piece=piece)


async def get_packing_plan_row(call: Call, plan_id: int) -> PackingPlanRow:
    """Return a plan of this client. Raises `NOT_FOUND`."""
    row = await PackingPlanRow.get(call.work, plan_id)
    if row is None:
        raise record_not_found(plan_id=plan_id)
    return row


def read_plan(row: PackingPlanRow) -> tuple[PackingProblem, PackingPlan]:
    """Return the problem and the plan of a row."""
    return msgspec.convert(row.problem, PackingProblem), msgspec.convert(row.plan, PackingPlan)


class PlansToPack:
    """Implements the port `PackingPlans` of the warehouse."""

    async def find_plan(self, call: Call, reference: str) -> int | None:
        """Return the newest plan of an order by reference or tracking number, or None."""
        orders = [order.id for order in await find_orders_by_reference(call, reference)]
        rows, _ = await store.list_plan_rows(
            call.work, {"subject": "order"}, subject_ids=orders, replaced=False, limit=1, offset=0
        )
        return rows[0].id if rows else None

    async def load_cartons(self, call: Call, plan_id: int) -> list[PlannedCarton]:
        """Return the cartons of a plan in order.

        Raises `NOT_FOUND`, and `PACKING_PLAN_STALE` for a plan that was replaced.
        """
        row = await get_packing_plan_row(call, plan_id)
        if row.replaced_at is not None:
            raise PACKING_PLAN_STALE()
        problem, plan = read_plan(row)
        return [
            PlannedCarton(
                number=number, pieces=carton_contents(plan, number), weight_g=carton_weight(problem, plan, number - 1)
            )
            for number in range(1, len(plan.cartons) + 1)
        ]


async def get_carton_row(call: Call, carton_id: int) -> CartonRow:
    """Return a kind of carton of this client. Raises `NOT_FOUND`."""
    row = await CartonRow.get(call.work, carton_id)
    if row is None:
        raise record_not_found(carton_id=carton_id)
    return row


async def get_filling_row(call: Call, filling_id: int) -> FillingRow:
    """Return a filling of this client. Raises `NOT_FOUND`."""
    row = await FillingRow.get(call.work, filling_id)
    if row is None:
        raise record_not_found(filling_id=filling_id)
    return row


async def find_orders_of_pieces(call: Call, pieces: Iterable[PackingPiece | LoadPiece]) -> dict[str, int]:
    """Return the orders of items that are named by tracking number, by item."""
    found = await find_pieces_by_number(call, [piece.id for piece in pieces])
    return {number: piece.order_id for number, piece in found.items()}

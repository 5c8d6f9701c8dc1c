"""Loading requests as solver problems."""

from collections import Counter
from collections.abc import Collection, Mapping

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from haulier.contexts.orders.public import list_order_pieces
from haulier.contexts.routes.public import get_visible_route, list_stops_of_routes
from haulier.contexts.routes.stops.rules import StopKind
from haulier.contexts.warehouse.load_plans import store
from haulier.contexts.warehouse.load_plans.contract import PIECES_MAX, SPACES_MAX, LoadingQuestion
from haulier.contexts.warehouse.load_plans.errors import NO_LOAD_SPACES, TOO_MANY_PIECES_TO_LOAD
from haulier.contexts.warehouse.load_plans.rules import nesting_faults, pieces_to_load
from haulier.contexts.warehouse.load_plans.store import LoadPlanRow, LoadSpaceRow
from haulier.contexts.warehouse.packing.errors import PIECE_WITHOUT_SIZE
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found
from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.problem import Axles, Balance, Box, DoorSide, LoadingProblem, LoadPiece, LoadSpace, Reach


async def load_problem(
    call: Call, question: LoadingQuestion, *, most: int = PIECES_MAX
) -> tuple[LoadingProblem, dict[int, LoadSpaceRow]]:
    """Return the solver's problem of a request, and its load spaces by id.

    Spaces are named by their ids. Raises `NOT_FOUND`, `NO_LOAD_SPACES`, `PIECE_WITHOUT_SIZE`,
    `TOO_MANY_PIECES_TO_LOAD`, `INVALID_REQUEST`.
    """
    rows = await _load_spaces(call, question)
    if question.route_id is not None:
        await get_visible_route(call, question.route_id)
    if not rows:
        raise NO_LOAD_SPACES()
    pieces = [piece for line in question.pieces for piece in pieces_to_load(line)]
    if question.route_id is not None:
        pieces += await _pieces_of_route(call, question.route_id)
    if not pieces:
        raise INVALID_REQUEST.for_fields(FieldError("pieces", "field.nothing_to_load"))
    if deep := nesting_faults(question.pieces):
        raise INVALID_REQUEST.for_fields(*deep)
    if len(pieces) > most:
        raise TOO_MANY_PIECES_TO_LOAD(count=most)
    if twice := [name for name, count in Counter(piece.id for piece in pieces).items() if count > 1]:
        raise INVALID_REQUEST.for_fields(FieldError("pieces", "field.piece_named_twice", {"piece": twice[0]}))
    problem = LoadingProblem(
        pieces=tuple(pieces),
        spaces=tuple(map(solver_space, rows.values())),
        support_percent=question.support_percent,
        apart=tuple((one, other) for one, other in question.apart),
        # Left unset so that requests without this field keep their hash.
        repacks_per_stop=question.repacks_per_stop or UNSET,
    )
    return problem, rows


async def _load_spaces(call: Call, question: LoadingQuestion) -> dict[int, LoadSpaceRow]:
    wanted = question.load_space_ids
    rows = {row.id: row for row in await store.list_usable_spaces(call.work, wanted, limit=SPACES_MAX)}
    for load_space_id in sorted(wanted or ()):
        if load_space_id not in rows:
            raise record_not_found(load_space_ids=load_space_id)
    return rows


def solver_space(row: LoadSpaceRow) -> LoadSpace:
    """Return a space as the solver reads it, named by its id."""
    layout = row.layout
    balance = layout["balance"]
    return LoadSpace(
        id=str(row.id),
        inner=(row.length_mm, row.width_mm, row.height_mm),
        payload_g=row.payload_g,
        cost_cents=row.cost_minor,
        stock=row.stock,
        doors=tuple(side for side in DoorSide if side in layout["doors"]),
        obstacles=tuple(map(_corners, layout["obstacles"])),
        axles=msgspec.convert(layout["axles"], Axles | None),
        reach=msgspec.convert(layout.get("reach", []), tuple[Reach, ...]),
        balance=balance and Balance(**{name.removesuffix("_mm"): value for name, value in balance.items()}),
        fill_cap_percent=row.target_utilization_percent,
    )


def _corners(obstacle: Mapping[str, int]) -> Box:
    x, y, z = (obstacle[f"{axis}_mm"] for axis in "xyz")
    return x, y, z, x + obstacle["length_mm"], y + obstacle["width_mm"], z + obstacle["height_mm"]


async def _pieces_of_route(call: Call, route_id: int) -> list[LoadPiece]:
    """Return the items that a route loads at the depot, by stop number from 1."""
    visits = await list_stops_of_routes(call, [route_id])
    on_the_way = {stop.order_id for stop in visits if stop.kind == StopKind.PICKUP}
    delivered = [stop.order_id for stop in visits if stop.kind == StopKind.DELIVERY and stop.order_id not in on_the_way]
    stop_of = {order_id: number for number, order_id in enumerate(delivered, 1)}
    found: list[LoadPiece] = []
    for piece in sorted(await list_order_pieces(call, delivered), key=lambda each: each.tracking_number):
        if not (piece.length_mm and piece.width_mm and piece.height_mm):
            raise PIECE_WITHOUT_SIZE.for_fields(
                FieldError("route_id", "field.piece_without_size", {"piece": piece.tracking_number}),
                piece=piece.tracking_number,
            )
        size = (piece.length_mm, piece.width_mm, piece.height_mm)
        stop = stop_of[piece.order_id]
        found.append(LoadPiece(id=piece.tracking_number, size=size, weight_g=piece.weight_g, stop=stop))
    return found


async def get_load_space_row(call: Call, load_space_id: int) -> LoadSpaceRow:
    """Return a load space of this client. Raises `NOT_FOUND`."""
    row = await LoadSpaceRow.get(call.work, load_space_id)
    if row is None:
        raise record_not_found(load_space_id=load_space_id)
    return row


class InsidesOfVehicles:
    """Implements the port `VehicleBodies` of planning."""

    async def get(self, call: Call, vehicle_ids: Collection[int]) -> dict[int, LoadSpace]:
        """Return the known cargo spaces of vehicles, by vehicle id.

        Load spaces that plans cannot use are ignored.
        """
        of_vehicles = await store.list_spaces_of_vehicles(call.work, vehicle_ids)
        ids = {row.load_space_id for row in of_vehicles}
        spaces = {row.id: row for row in await store.list_usable_spaces(call.work, ids, limit=len(ids))} if ids else {}
        return {
            row.vehicle_id: replace(solver_space(spaces[row.load_space_id]), stock=1)
            for row in of_vehicles
            if row.load_space_id in spaces
        }


async def get_space_vehicles(call: Call, load_space_ids: Collection[int]) -> dict[int, list[int]]:
    """Return the ids of the vehicles of each of these load spaces."""
    vehicles: dict[int, list[int]] = {id: [] for id in load_space_ids}
    for row in await store.list_space_vehicles(call.work, load_space_ids):
        vehicles[row.load_space_id].append(row.vehicle_id)
    return vehicles


async def get_load_plan_row(call: Call, load_plan_id: int) -> LoadPlanRow:
    """Return a plan of this client. Raises `NOT_FOUND`."""
    row = await LoadPlanRow.get(call.work, load_plan_id)
    if row is None:
        raise record_not_found(load_plan_id=load_plan_id)
    return row


def read_load_plan(row: LoadPlanRow) -> tuple[LoadingProblem, LoadingPlan]:
    """Return the problem and the plan of a row."""
    return msgspec.convert(row.problem, LoadingProblem), msgspec.convert(row.plan, LoadingPlan)

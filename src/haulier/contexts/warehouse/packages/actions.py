"""Moves of packages. Every function uses a constant number of statements."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from msgspec import UNSET, Struct

from haulier.contexts.orders.public import find_pieces_by_number
from haulier.contexts.tracking.public import Location, NewEvent, record_events
from haulier.contexts.warehouse.packages import store
from haulier.contexts.warehouse.packages.contract import PackageMoveKind
from haulier.contexts.warehouse.packages.rules import package_keys
from haulier.contexts.warehouse.packages.store import PackageMoveRow, WarehousePackageRow
from haulier.contexts.warehouse.warehouses.queries import WarehouseRow, get_warehouse_rows
from haulier.kernel.call import Call

TRACKING_CODES: Mapping[PackageMoveKind, str] = {
    PackageMoveKind.ARRIVED: "arrival_scan",
    PackageMoveKind.SENT: "package_outbound",
    PackageMoveKind.ROLLED_BACK: "arrival_scan",
}
"""Timeline codes of moves: `inbound` on arrival, `transit` on departure."""


MISSED_CODE = "delayed"
"""Timeline code of a package that did not arrive as expected."""


class NewMove(Struct, frozen=True, kw_only=True):
    """A move of a package to record.

    `holder` is the transfer that holds it afterwards. A `late` move is recorded, but the package stays where a later
    move brought it.
    """

    package: WarehousePackageRow
    kind: PackageMoveKind
    from_warehouse_id: int | None
    to_warehouse_id: int | None
    holder: int | None = None
    transfer_id: int | None = None
    reason: str | None = None
    occurred_at: datetime
    late: bool = False


async def register_packages(call: Call, numbers: Collection[str]) -> dict[str, WarehousePackageRow]:
    """Lock packages by normalised number; unknown ones are inserted."""
    keys = package_keys(numbers)
    rows = await store.lock_package_rows(call.work, keys)
    if new := [number for number in keys if number not in rows]:
        pieces = await find_pieces_by_number(call, new)
        written = [
            {
                "number": number,
                "order_id": pieces[number].order_id if number in pieces else None,
                "package_id": pieces[number].package_id if number in pieces else None,
                "moves": 0,
            }
            for number in new
        ]
        await store.insert_packages(call.work, written)
        rows |= await store.lock_package_rows(call.work, new)
    return rows


async def hold_packages(call: Call, ids: Collection[int], transfer_id: int | None) -> None:
    """Assign locked packages to a transfer, or to none."""
    await store.set_holder(call.work, ids, transfer_id)


async def move_packages(call: Call, new_moves: Sequence[NewMove]) -> None:
    """Move locked packages, record the moves, and update order timelines."""
    if not new_moves:
        return
    await store.set_places(
        call.work,
        [
            {
                "package": move.package.id,
                "place": move.to_warehouse_id,
                "holder": move.holder,
                "moved": move.occurred_at,
            }
            for move in new_moves
            if not move.late
        ],
    )
    await PackageMoveRow.insert_many(
        call.work,
        [
            {
                "warehouse_package_id": move.package.id,
                "kind": move.kind,
                "from_warehouse_id": move.from_warehouse_id,
                "to_warehouse_id": move.to_warehouse_id,
                "transfer_id": move.transfer_id,
                "reason": move.reason,
                "user_id": call.actor,
                "occurred_at": move.occurred_at,
                "recorded_at": call.now,
            }
            for move in new_moves
        ],
    )
    await _record_in_timelines(call, [move for move in new_moves if move.package.order_id is not None])


async def _record_in_timelines(call: Call, new_moves: Sequence[NewMove]) -> None:
    if not new_moves:
        return
    places = {place for move in new_moves if (place := _place_of(move)) is not None}
    warehouses = await get_warehouse_rows(call, places)
    pieces = await find_pieces_by_number(call, {move.package.number for move in new_moves})
    events = [
        NewEvent(
            tracking_number=move.package.number,
            status_code=TRACKING_CODES[move.kind],
            occurred_at=move.occurred_at,
            order_id=move.package.order_id,
            package_id=move.package.package_id,
            order_ref=pieces[move.package.number].order_ref,
            location=_location(warehouses.get(_place_of(move) or 0)),
        )
        for move in new_moves
        if move.package.number in pieces and not pieces[move.package.number].over
    ]
    await record_events(call, events)


async def report_missed(call: Call, warehouses: Mapping[str, int]) -> None:
    """Report on order timelines that packages did not arrive as expected."""
    pieces = await find_pieces_by_number(call, set(warehouses)) if warehouses else {}
    rows = await get_warehouse_rows(call, {*warehouses.values()})
    events = [
        NewEvent(
            tracking_number=number,
            status_code=MISSED_CODE,
            occurred_at=call.now,
            order_id=piece.order_id,
            package_id=piece.package_id,
            order_ref=piece.order_ref,
            location=_location(rows.get(warehouses[number])),
        )
        for number, piece in pieces.items()
        if not piece.over
    ]
    await record_events(call, events)


def _place_of(move: NewMove) -> int | None:
    """Return the warehouse of the scan; departures are scanned where the package was."""
    return move.from_warehouse_id if move.to_warehouse_id is None else move.to_warehouse_id


def _location(warehouse: WarehouseRow | None) -> Location | None:
    if warehouse is None:
        return None
    return Location(
        name=warehouse.name,
        address=warehouse.address or UNSET,
        lat=UNSET if warehouse.lat is None else warehouse.lat,
        lng=UNSET if warehouse.lng is None else warehouse.lng,
    )

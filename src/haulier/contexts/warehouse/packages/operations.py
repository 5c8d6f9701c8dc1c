"""Operations on packages."""

from haulier.contexts.warehouse.packages import store
from haulier.contexts.warehouse.packages.contract import (
    ListPackages,
    PackageAnswer,
    PackageList,
    PackageMove,
    PackageRef,
)
from haulier.contexts.warehouse.packages.rules import package_key
from haulier.contexts.warehouse.packages.serializers import package_record
from haulier.contexts.warehouse.packages.store import PackageMoveRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import make_cursor, parse_cursor


@reads(
    "list_packages",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/wms/packages"), GraphQL("warehousePackages")),
)
async def list_packages(call: Call, request: ListPackages) -> PackageList:
    """List packages and their locations.

    Ordered by first scan.
    """
    wanted = request.model_dump(include={"warehouse_id", "transfer_id"}, exclude_none=True)
    after = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else 0
    rows = await store.list_package_rows(call.work, wanted, after=after, limit=request.per_page + 1)
    page = rows[: request.per_page]
    next_cursor = make_cursor(page[-1].id) if len(rows) > request.per_page else None
    return PackageList(packages=[package_record(call, row) for row in page], next_cursor=next_cursor)


@reads(
    "get_package",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/wms/packages/{number}"), GraphQL("warehousePackage")),
    errors=(NOT_FOUND,),
)
async def get_package(call: Call, request: PackageRef) -> PackageAnswer:
    """Get a package with its moves.

    Returns the current location and each move with user, time, origin and reason.
    """
    key = package_key(request.number)
    row = (await store.find_package_rows(call.work, [key])).get(key)
    if row is None:
        raise record_not_found(number=request.number)
    moves = await store.list_move_rows(call.work, row.id)
    return PackageAnswer(package=package_record(call, row), moves=[_move(call, move) for move in moves])


def _move(call: Call, row: PackageMoveRow) -> PackageMove:
    return record(
        PackageMove,
        row,
        occurred_at=call.local_time(row.occurred_at),
        recorded_at=call.local_time(row.recorded_at),
    )

"""Writes of routes that other contexts call."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.routes.routes import store
from haulier.kernel.call import Call


async def insert_routes(call: Call, rows: Sequence[Mapping[str, Any]], *, published: bool = True) -> list[int]:
    """Write routes that all have the same columns. Returns their ids in the order of the rows."""
    return await store.insert_routes(call.work, rows, published=published)


async def update_route(call: Call, route_id: int, **values: Any) -> None:
    """Change columns of a route and raise its version by one."""
    await store.update_route(call.work, route_id, **values)

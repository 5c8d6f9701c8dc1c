"""Writing points of interest, for operations and imports alike."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.places.points_of_interest import store
from haulier.contexts.places.points_of_interest.contract import CreatePointOfInterest
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.errors import declare_error

REFERENCE_TAKEN = declare_error("point_reference_taken", 409, fields=("reference",))


def point_values(request: CreatePointOfInterest) -> dict[str, Any]:
    """The columns that a request says."""
    own = CreatePointOfInterest.model_fields.keys()
    values = request.model_dump(include=set(own))
    values["opening_hours"] = request.opening_hours and request.opening_hours.model_dump(mode="json")
    return values


async def create_point(call: Call, values: Mapping[str, Any]) -> int:
    """Write a new place. Returns its id. Raises `REFERENCE_TAKEN`."""
    try:
        async with call.work.savepoint():
            return await store.insert_point(call.work, values, call.now)
    except UniqueConflict:
        raise REFERENCE_TAKEN(reference=values["reference"]) from None


async def replace_point(call: Call, id: int, values: Mapping[str, Any]) -> bool:
    """Replace a place; returns False if it does not exist. Raises `REFERENCE_TAKEN`."""
    try:
        async with call.work.savepoint():
            return await store.update_point(call.work, id, values, call.now)
    except UniqueConflict:
        raise REFERENCE_TAKEN(reference=values["reference"]) from None

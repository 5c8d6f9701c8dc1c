"""Loading and unloading of parcels for routes."""

from collections.abc import Collection

from haulier.contexts.warehouse.loading import store
from haulier.contexts.warehouse.loading.contract import LoadState
from haulier.contexts.warehouse.loading.queries import RouteLoad
from haulier.kernel.call import Call


async def load_parcels(call: Call, load: RouteLoad, barcodes: Collection[str]) -> dict[str, LoadState]:
    """Record parcels of the route as loaded. Return the result of each barcode."""
    taken = load.parcels.keys() & {load.number_of(barcode) for barcode in barcodes}
    new = await store.insert_loaded(call.work, load.route_id, taken, call.now, call.actor)

    def state(number: str) -> LoadState:
        if number not in taken:
            return "unexpected"
        return "loaded" if number in new else "loaded_before"

    return {barcode: state(load.number_of(barcode)) for barcode in barcodes}


async def unload_parcels(call: Call, load: RouteLoad, barcodes: Collection[str]) -> dict[str, LoadState]:
    """Record parcels as taken off. Return the result of each barcode."""
    numbers = {load.number_of(barcode) for barcode in barcodes}
    there = (await store.list_loaded(call.work, load.route_id)).keys() & numbers
    await store.delete_loaded(call.work, load.route_id, there)
    return {barcode: "taken_off" if load.number_of(barcode) in there else "unexpected" for barcode in barcodes}

"""Background work on records: indexing anew, geocoding, removal."""

from haulier.contexts.datasets.datasets.actions import (
    INDEX_RECORDS_JOB,
    REMOVE_RECORDS_JOB,
    IndexRecords,
    RemoveRecords,
    mark_indexed,
    remove_dataset,
)
from haulier.contexts.datasets.datasets.queries import DatasetRow, find_dataset
from haulier.contexts.datasets.ports import PlaceFound, RecordGeocoder
from haulier.contexts.datasets.records.actions import GEOCODE_JOB, GeocodeRecords
from haulier.contexts.datasets.records.queries import shape_of
from haulier.contexts.datasets.records.rules.shapes import PlaceStatus, place_columns
from haulier.contexts.datasets.records.store import records as store
from haulier.contexts.datasets.records.store.records import UnplacedRow
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

RECORDS_PER_TRANSACTION = 500
ADDRESSES_PER_TRANSACTION = 100
LANE = "batches"


@job(INDEX_RECORDS_JOB, IndexRecords, lane=LANE)
async def index_records(run: JobRun, args: IndexRecords) -> None:
    """Write the sort keys of all records anew. It ends early once the fields changed again: then another job goes on."""
    after = 0
    while True:
        async with run.call() as call:
            dataset = await find_dataset(call, args.dataset_id)
            if dataset is None or dataset.version != args.version:
                return None
            rows = await store.list_records_after(call.work, dataset.id, after, RECORDS_PER_TRANSACTION)
            if not rows:
                return await mark_indexed(call, dataset.id)
            shape = shape_of(dataset)
            await store.update_sort_keys(call.work, [(row.id, shape.sort_keys(row.values)) for row in rows])
            after = rows[-1].id


@job(REMOVE_RECORDS_JOB, RemoveRecords, lane=LANE)
async def remove_records(run: JobRun, args: RemoveRecords) -> None:
    """Remove the records of a deleted dataset, some in each transaction, and the dataset at last."""
    while True:
        async with run.call() as call:
            if not await store.delete_some_records(call.work, args.dataset_id, RECORDS_PER_TRANSACTION):
                return await remove_dataset(call, args.dataset_id)


@job(GEOCODE_JOB, GeocodeRecords, lane=LANE)
async def geocode_records(run: JobRun, args: GeocodeRecords) -> None:
    """Look for the places of records by their addresses. Who has no address is not found. A repetition goes on."""
    for place in (PlaceStatus.NONE, *([PlaceStatus.NOT_FOUND] if args.again else [])):
        after: int | None = 0
        while after is not None:
            async with run.call() as call:
                dataset = await find_dataset(call, args.dataset_id)
                after = await _geocode_some(call, dataset, place, after) if dataset else None


async def _geocode_some(call: Call, dataset: DatasetRow, place: str, after: int) -> int | None:
    """Place the next records. Returns after which to go on; None at the end."""
    rows = await store.list_unplaced(call.work, dataset.id, place, after, ADDRESSES_PER_TRANSACTION)
    if not rows:
        return None
    shape = shape_of(dataset)
    addressed = [(row, address) for row in rows if (address := shape.address(row.values))]
    found = await call.adapter(RecordGeocoder).find_places(call, [address for _, address in addressed])
    places: dict[int, PlaceFound | None] = {row.id: where for (row, _), where in zip(addressed, found, strict=True)}
    await store.update_places(call.work, [_placed(row, places.get(row.id)) for row in rows])
    return rows[-1].id


def _placed(row: UnplacedRow, found: PlaceFound | None) -> tuple[UnplacedRow, dict[str, object]]:
    if found is None:
        return row, {**place_columns(None, None, PlaceStatus.NOT_FOUND), "place": PlaceStatus.NOT_FOUND}
    status = PlaceStatus.EXACT if found.exact else PlaceStatus.APPROXIMATE
    return row, place_columns(found.lat, found.lng, status)

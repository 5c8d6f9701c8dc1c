"""Jobs of records: indexing, geocoding, removal."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.datasets.datasets.actions import (
    INDEX_RECORDS_JOB,
    REMOVE_RECORDS_JOB,
    IndexRecords,
    RemoveRecords,
    mark_indexed,
    remove_dataset,
)
from haulier.contexts.datasets.datasets.queries import find_dataset
from haulier.contexts.datasets.records.actions import GEOCODE_JOB, GeocodeRecords
from haulier.contexts.datasets.records.queries import shape_of
from haulier.contexts.datasets.records.rules import PlaceFault, PlaceStatus, Shape, place_columns
from haulier.contexts.datasets.records.store import records as records_store
from haulier.contexts.datasets.records.store import search
from haulier.contexts.datasets.records.store.records import UnplacedRow
from haulier.contexts.identity.public import require_client
from haulier.contexts.places.public import Geocoder, LocatedPlace, Quality, locate_readings, read_address
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

RECORDS_PER_TRANSACTION = 500
ADDRESSES_PER_TRANSACTION = 500
ADDRESSES_ASKED = 50
"""Batch size if a server is queried, which may take a second for each."""
QUEUE = "batches"


@job(INDEX_RECORDS_JOB, IndexRecords, queue=QUEUE)
async def index_records(run: JobRun, args: IndexRecords) -> None:
    """Write the sort keys of all records.

    Ends early if the fields change again: another job then continues.
    """
    after = 0
    while True:
        async with run.call() as call:
            dataset = await find_dataset(call, args.dataset_id)
            if dataset is None or dataset.version != args.version:
                return None
            rows = await records_store.list_records_after(call.work, dataset.id, after, RECORDS_PER_TRANSACTION)
            if not rows:
                return await mark_indexed(call, dataset.id)
            shape = shape_of(dataset)
            await records_store.update_sort_keys(call.work, [(row.id, shape.sort_keys(row.values)) for row in rows])
            after = rows[-1].id


@job(REMOVE_RECORDS_JOB, RemoveRecords, queue=QUEUE)
async def remove_records(run: JobRun, args: RemoveRecords) -> None:
    """Remove records of a deleted dataset in batches, and finally the dataset."""
    while True:
        async with run.call() as call:
            if not await records_store.delete_some_records(call.work, args.dataset_id, RECORDS_PER_TRANSACTION):
                return await remove_dataset(call, args.dataset_id)


class GeocodingPosition(Struct, frozen=True):
    """Position of a geocoding: place state, and last id."""

    place: str
    after: int = 0


@job(GEOCODE_JOB, GeocodeRecords, queue=QUEUE)
async def geocode_records(run: JobRun, args: GeocodeRecords) -> None:
    """Geocode records by address; those without one are not found.

    A repeated run continues where it stopped.
    """
    at = await _begin(run, args)
    while at is not None:
        at = await _geocode_some(run, args, at)


async def _begin(run: JobRun, args: GeocodeRecords) -> GeocodingPosition | None:
    if args.geocoding_id is None:
        return GeocodingPosition(PlaceStatus.NONE)
    async with run.call() as call:
        row = await search.get_geocoding_row(call.work, args.geocoding_id)
    return None if row is None or row.finished_at else GeocodingPosition(row.place, row.after_id)


async def _geocode_some(run: JobRun, args: GeocodeRecords, at: GeocodingPosition) -> GeocodingPosition | None:
    """Geocode the next records. Return the next position, or None when finished.

    None also if it was cancelled.
    """
    async with run.call() as call:
        dataset = await find_dataset(call, args.dataset_id)
        some = ADDRESSES_ASKED if call.adapter(Geocoder).name else ADDRESSES_PER_TRANSACTION
        rows = (
            await records_store.list_unplaced(call.work, args.dataset_id, at.place, at.after, some) if dataset else []
        )
        home = dataset and (dataset.address_country or (await require_client(call.work, call.client_id)).country)
    if dataset is None or not rows:
        return await _next_place_state(run, args, at, present=dataset is not None)
    placed = await _locate(run, shape_of(dataset), rows, home)
    found = Counter(str(columns["place"]) for _, columns in placed)
    async with run.call() as call:
        if not await _record_progress(call, args, GeocodingPosition(at.place, rows[-1].id), found):
            return None
        await records_store.update_places(call.work, placed)
    return GeocodingPosition(at.place, rows[-1].id)


async def _locate(
    run: JobRun, shape: Shape, rows: Sequence[UnplacedRow], home: str | None
) -> list[tuple[UnplacedRow, dict[str, Any]]]:
    written = [shape.written_address(row.values, home) for row in rows]
    readings = await asyncio.to_thread(lambda: [read_address(each) if each else [] for each in written])
    places = await locate_readings(run, readings)
    return [
        (row, _placed(place) if place else _not_found(address is not None, bool(ways)))
        for row, address, ways, place in zip(rows, written, readings, places, strict=True)
    ]


def _placed(place: LocatedPlace) -> dict[str, Any]:
    exact = place.quality in (Quality.PIN, Quality.ROOFTOP)
    status = PlaceStatus.EXACT if exact else PlaceStatus.APPROXIMATE
    return {**place_columns(place.lat, place.lng, status), "place_quality": place.quality.value}


def _not_found(has_address: bool, has_country: bool) -> dict[str, Any]:
    fault = PlaceFault.UNKNOWN if has_country else PlaceFault.NO_COUNTRY if has_address else PlaceFault.NO_ADDRESS
    return {**place_columns(None, None, ""), "place": PlaceStatus.NOT_FOUND, "place_fault": fault}


async def _record_progress(call: Call, args: GeocodeRecords, at: GeocodingPosition, found: Mapping[str, int]) -> bool:
    """Count found records. Return False if the geocoding was cancelled."""
    if args.geocoding_id is None:
        return True
    row = await search.get_geocoding_row(call.work, args.geocoding_id, lock=True)
    if row is None or row.finished_at:
        return False
    await search.add_progress(call.work, row.id, at.place, at.after, found)
    return True


async def _next_place_state(
    run: JobRun, args: GeocodeRecords, at: GeocodingPosition, *, present: bool
) -> GeocodingPosition | None:
    """Return the next place state: earlier failures first, to check each once."""
    following = GeocodingPosition(PlaceStatus.NONE)
    async with run.call() as call:
        if present and at.place != following.place:
            return following if await _record_progress(call, args, following, {}) else None
        if args.geocoding_id is not None:
            await search.finish_geocoding(call.work, args.geocoding_id, call.now, cancelled=not present)
    return None

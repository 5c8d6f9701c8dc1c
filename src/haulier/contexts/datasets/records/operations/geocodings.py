"""Geocoding: begun for the records of a dataset, watched, stopped."""

from haulier.contexts.datasets.datasets.queries import get_dataset_to_write
from haulier.contexts.datasets.records.actions import GEOCODE_JOB, GeocodeRecords
from haulier.contexts.datasets.records.contract import (
    DatasetGeocodingAnswer,
    GeocodeDataset,
    GeocodingRef,
    GeocodingStarted,
)
from haulier.contexts.datasets.records.errors import GEOCODING_IS_OVER, NO_ADDRESS_FIELDS
from haulier.contexts.datasets.records.rules.shapes import PlaceStatus
from haulier.contexts.datasets.records.serializers import dataset_geocoding
from haulier.contexts.datasets.records.store import geocodings as store
from haulier.contexts.datasets.records.store.geocodings import GeocodingRow
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

GEOCODING_PATH = "/v1/dataset-geocodings/{geocoding_id}"


@writes(
    "geocode_dataset",
    audience=OFFICE,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/datasets/{dataset_id}/geocode"), GraphQL("geocodeDataset")),
    errors=(NOT_FOUND, NO_ADDRESS_FIELDS),
)
async def geocode_dataset(call: Call, request: GeocodeDataset) -> GeocodingStarted:
    """Look for the places of records by their addresses, in the background. Each record says what became of it: `place`."""
    dataset = await get_dataset_to_write(call, request.dataset_id)
    if not dataset.address_fields:
        raise NO_ADDRESS_FIELDS()
    states = [*([PlaceStatus.NOT_FOUND] if request.again else []), PlaceStatus.NONE]
    waiting = await store.count_records_by_place(call.work, dataset.id, states)
    begun = {"dataset_id": dataset.id, "again": request.again, "place": states[0], "total": waiting}
    geocoding_id = await store.insert_geocoding(call.work, {**begun, "created_by": call.actor, "created_at": call.now})
    await call.enqueue(GEOCODE_JOB, GeocodeRecords(dataset.id, geocoding_id))
    call.add_audit_subjects("dataset", dataset.id)
    return GeocodingStarted(geocoding_id=geocoding_id, waiting=waiting)


@reads(
    "get_dataset_geocoding",
    audience=OFFICE,
    scopes={Scope.DATASETS_READ},
    doors=(Rest("GET", GEOCODING_PATH), GraphQL("datasetGeocoding")),
    errors=(NOT_FOUND,),
)
async def get_dataset_geocoding(call: Call, request: GeocodingRef) -> DatasetGeocodingAnswer:
    """Show how far a geocoding is. Which records were not found, a search by `place` says."""
    return DatasetGeocodingAnswer(geocoding=dataset_geocoding(call, await _readable(call, request.geocoding_id)))


@writes(
    "cancel_dataset_geocoding",
    audience=OFFICE,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{GEOCODING_PATH}/cancel"), GraphQL("cancelDatasetGeocoding")),
    errors=(NOT_FOUND, GEOCODING_IS_OVER),
)
async def cancel_dataset_geocoding(call: Call, request: GeocodingRef) -> Done:
    """Stop a geocoding: the places that were found stay."""
    row = await _readable(call, request.geocoding_id, lock=True)
    if row.finished_at:
        raise GEOCODING_IS_OVER()
    await store.finish_geocoding(call.work, row.id, call.now, cancelled=True)
    call.add_audit_subjects("dataset", row.dataset_id)
    return Done(message=call.translate("dataset_geocoding_cancelled"))


async def _readable(call: Call, geocoding_id: int, *, lock: bool = False) -> GeocodingRow:
    row = await store.get_geocoding_row(call.work, geocoding_id, lock=lock)
    if row is None:
        raise record_not_found(geocoding_id=geocoding_id)
    await get_dataset_to_write(call, row.dataset_id)
    return row

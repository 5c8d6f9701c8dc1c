"""Addresses of the book get their coordinates."""

from haulier.contexts.places.address_book import store
from haulier.contexts.places.address_book.actions import LocateAddresses
from haulier.contexts.places.geocoding.actions import locate_addresses
from haulier.contexts.places.ports import AddressText
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


@job("places.locate_addresses", LocateAddresses, queue="batches")
async def locate_addresses_of_book(run: JobRun, args: LocateAddresses) -> None:
    """Locate addresses.

    An address that was located or moved in the meantime is unchanged.
    """
    async with run.call() as call:
        rows = (await store.get_address_rows(call.work, args.address_ids)).values()
    wanted = [row for row in rows if row.lat is None]
    if not wanted:
        return
    texts = [AddressText(row.country, row.address, row.city, row.region, row.postal_code) for row in wanted]
    places = await locate_addresses(run, texts)
    found = [
        {
            "row_id": row.id,
            "key": row.place_key,
            "new_lat": place.lat,
            "new_lng": place.lng,
            "new_quality": place.quality,
        }
        for row, place in zip(wanted, places, strict=True)
        if place
    ]
    async with run.call() as call:
        await store.place_addresses(call.work, found)

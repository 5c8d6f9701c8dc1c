"""Addresses located, also by a geocoder: outside of any transaction, since a server may take seconds."""

from collections.abc import Sequence

from haulier.contexts.places.geocoding.actions.learn import learn_place
from haulier.contexts.places.geocoding.queries.locate import locate_offline
from haulier.contexts.places.ports import AddressText, Geocoder, GeocoderUnavailable, LocatedPlace
from haulier.kernel.job_run import JobRun

LAST_ATTEMPT = 6
"""A job that could not ask the geocoder so often goes on without it: whom it concerns must learn that something is missing."""


async def locate_addresses(run: JobRun, addresses: Sequence[AddressText]) -> list[LocatedPlace | None]:
    """Where each address is: by what is known here, and by the geocoder for those of which no street is known.

    Raises `GeocoderUnavailable`, once what was found until then is kept; the job is then tried again, and in its last attempt
    goes without.
    """
    async with run.call() as call:
        found = await locate_offline(call, addresses)
        geocoder = call.adapter(Geocoder)
    if geocoder.name is None:
        return found
    try:
        for index, address in enumerate(addresses):
            place = found[index]
            if place is None or not place.quality.is_drivable:
                found[index] = await _ask(run, geocoder, address) or place
    except GeocoderUnavailable:
        if run.attempt < LAST_ATTEMPT:
            raise
    return found


async def _ask(run: JobRun, geocoder: Geocoder, address: AddressText) -> LocatedPlace | None:
    place = await geocoder.locate(address)
    if place and place.quality.is_drivable:
        async with run.call() as call:
            await learn_place(call, address, place)
    return place

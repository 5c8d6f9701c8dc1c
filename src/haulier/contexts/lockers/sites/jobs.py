"""Sites follow the points of interest at which they are."""

from haulier.contexts.lockers.sites.actions import follow_points
from haulier.contexts.places.events import PlacesImported, PointOfInterestChanged
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(PointOfInterestChanged)
async def follow_point_of_sites(call: Call, event: PointOfInterestChanged) -> None:
    """Bring the sites at a point of interest to where it is now. Handling the event twice changes nothing more."""
    if event.change != "created":
        await follow_points(call, [event.point_of_interest_id])


@subscriber(PlacesImported)
async def follow_imported_points(call: Call, event: PlacesImported) -> None:
    """Bring all sites at points of interest to where these are now: an import does not tell which it changed."""
    if event.updated and event.zone_map_id is None:
        await follow_points(call)

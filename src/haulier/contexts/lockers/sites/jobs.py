"""Handlers that update sites from their points of interest."""

from haulier.contexts.lockers.sites.actions import on_points_changed
from haulier.contexts.places.events import PlacesImported, PointOfInterestChanged
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(PointOfInterestChanged)
async def on_site_point_changed(call: Call, event: PointOfInterestChanged) -> None:
    """Update the sites at a point of interest. Idempotent."""
    if event.change != "created":
        await on_points_changed(call, [event.point_of_interest_id])


@subscriber(PlacesImported)
async def on_points_imported(call: Call, event: PlacesImported) -> None:
    """Update all sites at points of interest after an import."""
    if event.updated and event.zone_map_id is None and not event.check_only:
        await on_points_changed(call)

"""A town of simulated cabinets in which everything goes wrong loses no parcel and opens no door twice."""

import httpx
from tests.support.app import App

from haulier.simulation.lockers.faults import BAD_TOWN
from haulier.simulation.lockers.town import simulate_lockers


async def test_every_parcel_of_a_bad_town_is_accounted_for(app: App) -> None:
    async with httpx.AsyncClient(transport=app.http._transport, base_url="http://test/api") as http:
        town = await simulate_lockers(
            http, app.tokens["admin"], cabinets=2, boxes=24, parcels=12, faults=BAD_TOWN, seed=7, wait_s=0
        )
    assert town.faults == []
    assert sum(town.ends.values()) == 12
    assert town.ends["collected"] >= 6

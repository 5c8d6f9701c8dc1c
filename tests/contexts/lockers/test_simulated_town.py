"""Simulated locker banks with every fault lose no parcel and open no door twice."""

import asyncio
from dataclasses import replace
from typing import Any

import httpx
from tests.support.app import App

from haulier.kernel.background.tasks import running
from haulier.simulation.lockers.faults import BAD_TOWN
from haulier.simulation.lockers.town import simulate_lockers


async def test_every_parcel_is_accounted_for_in_a_faulty_town(app: App) -> None:
    http = httpx.AsyncClient(transport=app.http._transport, base_url="http://test/api")
    async with running(work_on(app), "work"), http:
        # Lost connections are frequent: faults are random, and some doors must open offline.
        how: dict[str, Any] = {"faults": replace(BAD_TOWN, line_lost=0.6), "seed": 7, "wait_s": 0, "firmware": True}
        town = await simulate_lockers(http, app.tokens["admin"], cabinets=2, boxes=24, parcels=12, **how)
    assert town.faults == []
    assert sum(town.ends.values()) == 12
    assert town.ends["collected"] >= 6
    assert town.count("opened_alone"), "some doors were opened while the line was down"


async def work_on(app: App) -> None:
    """Do what jobs there are, again and again."""
    while True:
        await app.work_off()
        await asyncio.sleep(0.05)

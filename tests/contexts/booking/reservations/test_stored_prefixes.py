"""Postal prefixes of an earlier version are normalized by the upgrade."""

from pathlib import Path

from sqlalchemy import select, update
from tests.contexts.booking.reservations.makers import a_zone
from tests.support import databases
from tests.support.app import App

import haulier.migrations.versions
from haulier.adapters import migrations
from haulier.contexts.booking.reservations.store import booking_zones
from haulier.contexts.fleet.shifts.store import working_profiles
from haulier.contexts.routes.pools.store import rules

STEP = "*_normalized_postal_prefixes.py"
TYPED, NORMALIZED = ["00-9", "009", "m5v 2"], ["009", "M5V2"]


def revision_of(pattern: str) -> int:
    (file,) = Path(haulier.migrations.versions.__path__[0]).glob(pattern)
    return int(file.name[:4])


async def test_prefixes_as_they_were_typed_are_normalized(app: App) -> None:
    await a_zone(app)
    rule = {"contractor_id": app.ids["contractor"], "name": "West", "postal_prefixes": ["M"]}
    await app.answer("admin", "create_contractor_rule", rule)
    driver = (await app.answer("admin", "create_driver", {"name": "Dana"})).driver.id
    await app.answer(
        "admin", "set_driver_working_profile", {"driver_id": driver, "zones": [{"postal_prefixes": ["M"]}]}
    )
    async with app.database.write(app.clients["demo"]) as work:
        await work.run(update(booking_zones).values(postal_prefixes=TYPED))
        await work.run(update(rules).values(postal_prefixes=TYPED))
        await work.run(update(working_profiles).values(zones=[{"polygon": [], "postal_prefixes": TYPED}]))
    url = app.database_url if app.database_url.startswith("sqlite") else databases.cluster().url()
    await app.database.close()  # a file is not migrated under an open connection
    try:
        migrations.downgrade_schema(url, f"{revision_of(STEP) - 1:04}")
    finally:
        migrations.upgrade_schema(url)
        await app.database.open()
    async with app.database.read(app.clients["demo"]) as work:
        assert await work.value(select(booking_zones.c.postal_prefixes)) == NORMALIZED
        assert await work.value(select(rules.c.postal_prefixes)) == NORMALIZED
        (zone,) = await work.value(select(working_profiles.c.zones))
        assert zone == {"polygon": [], "postal_prefixes": NORMALIZED}

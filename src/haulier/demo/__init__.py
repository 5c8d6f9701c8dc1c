"""The demo business: two clients with users, depots, drivers and sixty orders.

It is deterministic, so that scripts can rely on it, and is created through the same operations that users call.
"""

from haulier.app import build_application, detect_missing_modules
from haulier.demo.accounts import LOGINS, PASSWORD, create_demo_users, list_client_codes
from haulier.demo.seed import seed_business
from haulier.settings import InvalidSetting, Settings

__all__ = ["LOGINS", "PASSWORD", "ensure_demo"]


async def ensure_demo(settings: Settings) -> None:
    """Create the demo business in an empty database. Does nothing if it exists.

    Raises `InvalidSetting` for a database with other data, because demo logins are public.
    """
    app = build_application(settings)
    await app.database.open()
    try:
        await detect_missing_modules(app)
        codes = await list_client_codes(app)
        if not codes:
            await seed_business(app, await create_demo_users(app))
        elif codes != {"demo", "rival"}:
            raise InvalidSetting("--demo: the database is not empty and not a demo one. Use an empty database.")
    finally:
        await app.database.close()

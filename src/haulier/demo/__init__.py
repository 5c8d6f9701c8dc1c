"""The demo business: two clients with users, depots, drivers and orders.

Ids and references are deterministic, so that scripts can rely on them; times are around the start. It is created through
the operations that users call.
"""

import logging

from haulier.app import build_application, detect_missing_modules
from haulier.demo.accounts import LOGINS, PASSWORD, create_demo_users, list_client_codes
from haulier.demo.refresh import refresh_demo
from haulier.demo.seed import seed_business
from haulier.settings import InvalidSetting, Settings

log = logging.getLogger("haulier.demo")

__all__ = ["LOGINS", "PASSWORD", "ensure_demo"]


async def ensure_demo(settings: Settings) -> None:
    """Create the demo business in an empty database, or move an existing one on.

    Raises `InvalidSetting` for a database with other data, because demo logins are public.
    """
    app = build_application(settings)
    await app.database.open()
    try:
        await detect_missing_modules(app)
        codes = await list_client_codes(app)
        if not codes:
            await seed_business(app, await create_demo_users(app))
        elif codes == {"demo", "rival"}:
            try:
                await refresh_demo(app)
            except Exception:
                log.exception("the demo could not be moved on")
        else:
            raise InvalidSetting("--demo: the database is not empty and not a demo one. Use an empty database.")
    finally:
        await app.database.close()

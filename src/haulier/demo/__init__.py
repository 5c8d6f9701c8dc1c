"""The demo business: two clients, their people, two depots, four drivers and sixty orders in every state.

It is fixed, so that anyone can script against it, and it is made through the same operations that everybody uses.
"""

from haulier.app import build_application, detect_missing_modules
from haulier.demo.accounts import LOGINS, PASSWORD, create_demo_users, list_client_codes
from haulier.demo.seed import seed_business
from haulier.settings import InvalidSetting, Settings

__all__ = ["LOGINS", "PASSWORD", "ensure_demo"]


async def ensure_demo(settings: Settings) -> None:
    """Make the demo business in an empty database; leave it alone where it is already there.

    Raises `BadSetting` for a database that holds anything else: demo logins are public.
    """
    app = build_application(settings)
    await app.database.open()
    try:
        await detect_missing_modules(app)
        codes = await list_client_codes(app)
        if not codes:
            await seed_business(app, await create_demo_users(app))
        elif codes != {"demo", "rival"}:
            raise InvalidSetting(
                "--demo: the database is not empty and not a demo one; its clients are not ours to touch"
            )
    finally:
        await app.database.close()

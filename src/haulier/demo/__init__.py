"""The demo business: two clients, their people, two depots, four drivers and sixty orders in every state.

It is fixed, so that anyone can script against it, and it is made through the same operations that everybody uses.
"""

from haulier.app import build_house, note_missing_modules
from haulier.demo.day import fill
from haulier.demo.people import LOGINS, PASSWORD, admit, client_codes
from haulier.settings import BadSetting, Settings

__all__ = ["LOGINS", "PASSWORD", "ensure_demo"]


async def ensure_demo(settings: Settings) -> None:
    """Make the demo business in an empty database; leave it alone where it is already there.

    Raises `BadSetting` for a database that holds anything else: demo logins are public.
    """
    house = build_house(settings)
    await house.database.open()
    try:
        await note_missing_modules(house)
        codes = await client_codes(house)
        if not codes:
            await fill(house, await admit(house))
        elif codes != {"demo", "rival"}:
            raise BadSetting("--demo: the database is not empty and not a demo one; its clients are not ours to touch")
    finally:
        await house.database.close()

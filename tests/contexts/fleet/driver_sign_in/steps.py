"""A driver with an account, and a link that signs them in."""

from typing import Any

from msgspec import Struct
from tests.support.app import App


class MadeLink(Struct, frozen=True):
    """A link, what it opens, and for whom."""

    driver_id: int
    id: int
    token: str
    url: str
    qr_svg: str


async def make_driver_with_account(app: App, name: str = "Rita") -> int:
    """Create a driver with an account and no session, and return the driver's id."""
    person = {"name": name, "email": f"{name.lower()}@links.example", "account": "driver"}
    user_id = (await app.answer("admin", "create_user", person)).user.id
    return (await app.answer("admin", "create_driver", {"name": name, "user_id": user_id})).driver.id


async def make_sign_in_link(app: App, driver_id: int | None = None, who: str = "employee", **more: Any) -> MadeLink:
    """A link for a driver, made by the office."""
    driver_id = driver_id or await make_driver_with_account(app)
    made = await app.answer(who, "create_driver_sign_in_link", {"driver_id": driver_id, **more})
    return MadeLink(driver_id, made.link.id, made.url.partition("#")[2], made.url, made.qr_svg)

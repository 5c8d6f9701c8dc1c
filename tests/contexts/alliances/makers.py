"""Small makers: an alliance of two businesses, and what one lets the other track."""

from typing import Any

from tests.support.app import App


async def an_alliance(app: App, *members: str, name: str = "Couriers") -> int:
    """The demo client founded it, the others joined; its id."""
    alliance_id = (await app.answer("admin", "create_alliance", {"name": name})).alliance.id
    for member in members:
        await app.answer("admin", "invite_alliance_member", {"alliance_id": alliance_id, "business": member})
        await app.answer(member, "accept_alliance_invitation", {"alliance_id": alliance_id})
    return alliance_id


async def a_grant(app: App, alliance_id: int, **words: Any) -> int:
    """What the demo client lets the rival track; its id."""
    asked = {"alliance_id": alliance_id, "business": "rival", "numbers": "all", **words}
    return (await app.answer("admin", "grant_tracking", asked)).grant.id


async def track(app: App, *numbers: str, who: str = "rival", business: str = "demo") -> Any:
    """What a member sees of another one's parcels; the outcome of the call."""
    return await app.call(who, "get_allied_trackings", {"business": business, "tracking_numbers": list(numbers)})

"""Small makers: an alliance of two businesses, and what one lets the other track."""

from typing import Any

from tests.contexts.tracking.ingest.requests import make_event, make_key, make_timeline
from tests.support.app import App
from tests.support.transport import make_order

SECRETS = {
    "locations": "1 Secret Street",
    "reasons": "the dog bites",
    "people": "driver-77",
    "proof": "Ada Lovelace",
    "references": "order_id",
    "sources": "courier-reference-9",
}
"""By field: a text of the timeline that only this field shows."""


async def make_parcel(app: App) -> str:
    """Create a parcel with events of every kind in its timeline; return its number."""
    order_id = await make_order(app)
    (tracking,) = (await app.answer("admin", "otep_client_tracking", {"order_id": order_id})).trackings
    number = tracking.tracking_number
    app.tokens["carrier"] = await make_key(app, name="Swift")
    await app.answer("admin", "entrust_parcels", {"tracking_numbers": [number], "carrier": "Swift"})
    told = make_event(
        "delivery_failed",
        1,
        location={"address": SECRETS["locations"], "city": "Toronto", "country": "CA"},
        incident_reason={"code": "weather", "note": SECRETS["reasons"]},
        actor={"type": "driver", "id": SECRETS["people"]},
        pod={"recipient": SECRETS["proof"], "photo_urls": ["https://files.example/never-shown"]},
        source={"type": "carrier", "name": "Swift", "reference": SECRETS["sources"]},
        extensions={"x_internal": "never shown"},
    )
    receipt = await app.answer("carrier", "ingest_timelines", make_timeline(told, number=number))
    assert receipt.counts.accepted == 1, receipt
    return number


async def make_alliance(app: App, *members: str, name: str = "Couriers") -> int:
    """The demo client founded it, the others joined; its id."""
    alliance_id = (await app.answer("admin", "create_alliance", {"name": name})).alliance.id
    for member in members:
        await app.answer("admin", "invite_alliance_member", {"alliance_id": alliance_id, "business": member})
        await app.answer(member, "accept_alliance_invitation", {"alliance_id": alliance_id})
    return alliance_id


async def make_grant(app: App, alliance_id: int, **words: Any) -> int:
    """Grant the rival tracking access by the demo client; return the id."""
    asked = {"alliance_id": alliance_id, "business": "rival", "numbers": "all", **words}
    return (await app.answer("admin", "grant_tracking", asked)).grant.id


async def track(app: App, *numbers: str, who: str = "rival", business: str = "demo") -> Any:
    """Return the outcome of a member tracking another member's parcels."""
    return await app.call(who, "get_allied_trackings", {"business": business, "tracking_numbers": list(numbers)})

"""Makers for the driver app: device events, uploads, policies, riders on duty."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_driver

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
DOOR_POSITION = {"lat": 43.65, "lng": -79.38}


def device_event(id: str, kind: str, at: str, route_id: int, **words: Any) -> dict[str, Any]:
    """Something a device wrote down; `at` is a time of the 10th, such as 09:30."""
    return {"id": f"device-1-{id}", "kind": kind, "occurred_at": f"2026-06-10T{at}:00Z", "route_id": route_id, **words}


async def sync_events(app: App, *events: dict[str, Any], who: str = "driver") -> Any:
    """Hand events in; the answer."""
    return await app.answer(who, "sync_rider_events", {"events": list(events)})


def event_statuses(answer: Any) -> dict[str, str]:
    """Return the status of each event of a call, by the device's short name."""
    return {receipt.id.removeprefix("device-1-"): receipt.status.value for receipt in answer.receipts}


async def make_upload(app: App, stop_id: int, upload_id: str = "photo-0001", who: str = "driver") -> Any:
    """A photo handed in for a stop; the answer."""
    body = {"stop_id": stop_id, "upload_id": upload_id, "content": PIXEL, "media_type": "image/png"}
    return await app.answer(who, "upload_proof", body)


async def make_policy(app: App, **words: Any) -> None:
    """The client's rules for its drivers' app."""
    await app.answer("admin", "set_rider_policy", words)


async def make_rider(app: App, user: str, lat: float = DOOR_POSITION["lat"], lng: float = DOOR_POSITION["lng"]) -> int:
    """A driver who waits for orders on demand at a place; the id of the record."""
    driver_id = await make_driver(app, user=user, name=user)
    await app.answer(user, "set_duty", {"available": True, "position": {"lat": lat, "lng": lng}})
    return driver_id

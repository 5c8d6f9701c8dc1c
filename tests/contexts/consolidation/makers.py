"""Inbound parcels to try things on."""

from typing import Any

from tests.contexts.tracking.ingest.requests import make_event, make_key, make_timeline, push_document
from tests.support.app import App

NUMBER = "1Z999AA10123456784"


async def make_suite(app: App, code: str = "TOR-1042", who: str = "customer") -> None:
    """A customer's suite."""
    await app.answer("admin", "assign_suite", {"customer_id": app.ids[who], "code": code})


async def announced(app: App, number: str = NUMBER, who: str = "customer", **words: Any) -> Any:
    """A parcel that its customer announced."""
    return (await app.answer(who, "create_pre_alert", {"tracking_number": number, **words})).parcel


async def received(app: App, number: str = NUMBER, **words: Any) -> Any:
    """A parcel that the office received."""
    return (await app.answer("admin", "receive_inbound_parcel", {"tracking_number": number, **words})).parcel


async def pushed(app: App, *codes: str, number: str = NUMBER, **fields: Any) -> None:
    """A carrier pushes events of a parcel, and what follows from them is done."""
    key = await make_key(app)
    events = [make_event(code, hours, **fields) for hours, code in enumerate(codes)]
    answer = await push_document(app, key, make_timeline(*events, number=number))
    assert (answer.status_code, answer.json()["counts"]["refused"]) == (200, 0), answer.text
    await app.work_off()


async def parcel_now(app: App, parcel_id: int, who: str = "admin") -> Any:
    """A parcel as it is."""
    return (await app.answer(who, "get_inbound_parcel", {"parcel_id": parcel_id})).parcel


async def queue(app: App) -> list[str]:
    """Return the numbers of parcels with an unknown owner."""
    return [
        one.tracking_number for one in (await app.answer("admin", "list_inbound_parcels", {"unmatched": True})).parcels
    ]

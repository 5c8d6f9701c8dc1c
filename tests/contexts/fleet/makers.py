"""Small makers: drivers, their papers, and people who apply."""

from typing import Any

from tests.contexts.documents.makers import make_file
from tests.support.app import App

YEAR_ON, SOON, YESTERDAY = "2027-06-10", "2026-06-20", "2026-06-09"
"""Beside 10 June 2026, the day on which the tests begin."""


async def make_driver(app: App, login: str | None = "driver", **words: Any) -> int:
    """A driver, who signs in as one of the people; the id."""
    given = {"name": "Dan", **({"user_id": app.ids[login]} if login else {}), **words}
    return (await app.answer("admin", "create_driver", given)).driver.id


async def make_driver_document(app: App, driver_id: int, who: str = "admin", **words: Any) -> Any:
    """A licence that holds for another year, with a photo."""
    asked = {"driver_id": driver_id, "kind": "licence", "number": "D-1", "expires_on": YEAR_ON, "file": make_file()}
    return (await app.answer(who, "add_driver_document", {**asked, **words})).document


async def document_status_of(app: App, driver_id: int, kind: str = "licence", who: str = "admin") -> str | None:
    """Return the status of a driver's kind of document, as in the driver's info."""
    sheet = await app.answer(who, "get_driver_info", {"driver_id": driver_id})
    return next((each.status for each in sheet.documents if each.kind == kind), None)


def make_application(**words: Any) -> dict[str, Any]:
    """Return an application to drive for the demo business."""
    who = {"clientCode": "demo", "name": "Eve Moss", "email": "eve@new.example", "phone": "+14165550123"}
    return {**who, **words}


async def make_applicant(app: App, **words: Any) -> tuple[int, str]:
    """Create an application, and return its id and token."""
    token = (await app.answer(None, "submit_driver_application", make_application(**words))).token
    newest = (await app.answer("admin", "list_driver_registrations")).registrations[0]
    return newest.id, token

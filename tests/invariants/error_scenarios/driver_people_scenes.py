"""Errors of driver documents, skills and applications."""

from typing import Any

from tests.contexts.documents.makers import FakeObjectStore
from tests.contexts.fleet.makers import YESTERDAY, make_applicant, make_application, make_driver, make_driver_document
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_order, make_route

from haulier.contexts.documents.ports import ObjectStore


async def scene(app: App) -> dict[str, Any]:
    """Create a driver without a licence, a reviewed document, and applications."""
    driver = await make_driver(app)
    full = await make_driver(app, login=None, skills=[f"s{n}" for n in range(50)])
    await app.answer("admin", "set_driver_policy", {"required": ["licence"], "blocks_start": True})
    await app.answer("rival", "set_driver_policy", {"registration_open": False})
    ids: dict[str, Any] = {"driver": driver, "full": full}
    ids["route"] = await make_route(app, order_ids=[await make_order(app)], driver_id=driver)
    ids["paper"] = (await make_driver_document(app, driver, kind="insurance")).id
    ids["over"] = (await make_driver_document(app, driver, who="driver", expires_on=YESTERDAY)).id
    ids["away"], ids["damaged"] = await _files_out_of_order(app, full)
    for name in ("skill", "retired"):
        ids[name] = (await app.answer("admin", "create_skill", {"code": name, "name": name})).skill.id
    await app.answer("admin", "update_skill", {"skill_id": ids["retired"], "active": False})
    ids["ended"], ids["token"] = await make_applicant(app)
    await app.answer("admin", "reject_driver_registration", {"registration_id": ids["ended"]})
    scopes = {"name": "weak", "scopes": ["account:write", "drivers:write"]}
    app.tokens["weak"] = (await app.answer("admin", "issue_api_token", scopes)).access_token
    ids["known"], _ = await make_applicant(app, email="customer@demo.example")
    return ids


async def _files_out_of_order(app: App, driver_id: int) -> list[int]:
    """Create one file that is temporarily unavailable, and one that is missing."""
    shelf = FakeObjectStore()
    app.application.adapters = {**app.application.adapters, ObjectStore: shelf}
    papers = [await make_driver_document(app, driver_id) for _ in range(2)]
    await app.work_off()
    away, _ = sorted(shelf.objects, key=lambda key: int(key.split("/")[1]))
    shelf.out_of_reach, shelf.objects = {away}, {}
    return [paper.file.id for paper in papers]


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    licence = {"driver_id": ids["driver"], "kind": "licence"}
    ended, nobodys = {"registration_id": ids["ended"]}, {"token": "hlapplicant_nobody"}
    return {
        ("get_file", "FILE_AWAY"): ("admin", {"file_id": ids["away"] or 1}),
        ("get_file", "FILE_DAMAGED"): ("admin", {"file_id": ids["damaged"] or 1}),
        ("start_route", "DRIVER_DOCUMENTS_NOT_IN_ORDER"): ("driver", {"route_id": ids["route"]}),
        ("add_driver_document", "DRIVER_DOCUMENT_OVER"): ("admin", {**licence, "expires_on": YESTERDAY}),
        ("review_driver_document", "DRIVER_DOCUMENT_OVER"): ("admin", {"document_id": ids["over"], "verdict": "valid"}),
        ("remove_driver_document", "DRIVER_DOCUMENT_REVIEWED"): ("driver", {"document_id": ids["paper"]}),
        ("create_skill", "SKILL_TAKEN"): ("admin", {"code": "skill", "name": "Again"}),
        ("grant_driver_skill", "SKILL_RETIRED"): ("admin", {"skill_id": ids["retired"], "driver_ids": [ids["driver"]]}),
        ("grant_driver_skill", "SKILLS_FULL"): ("admin", {"skill_id": ids["skill"], "driver_ids": [ids["full"]]}),
        ("submit_driver_application", "DRIVER_REGISTRATION_CLOSED"): (None, make_application(clientCode="rival")),
        ("get_driver_application", "DRIVER_APPLICANT_UNKNOWN"): (None, nobodys),
        ("withdraw_driver_application", "DRIVER_APPLICANT_UNKNOWN"): (None, nobodys),
        ("withdraw_driver_application", "DRIVER_REGISTRATION_DECIDED"): (None, {"token": ids["token"] or "none"}),
        ("approve_driver_registration", "DRIVER_REGISTRATION_DECIDED"): ("admin", ended),
        ("reject_driver_registration", "DRIVER_REGISTRATION_DECIDED"): ("admin", ended),
        ("approve_driver_registration", "EMAIL_TAKEN"): ("admin", {"registration_id": ids["known"]}),
        ("approve_driver_registration", "SCOPES_EXCEEDED"): ("weak", {"registration_id": ids["known"]}),
    }

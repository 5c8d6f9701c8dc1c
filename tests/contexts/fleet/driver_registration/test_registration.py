"""Driver applications: from a web form to a driver with an account."""

import asyncio
import re
from typing import Any

from sqlalchemy import select
from tests.contexts.fleet.makers import make_applicant, make_application, make_driver
from tests.support.app import App, make_app
from tests.support.every_case import for_every

from haulier.adapters.mailer import InMemoryMailer
from haulier.contexts.fleet.driver_registration.store import driver_registrations
from haulier.contexts.identity.ports import Mailer
from haulier.kernel.background.job_table import job_table
from haulier.kernel.pipeline.audit import audit_entries

PATH = "/v1/clients/demo/driver-registrations"


def form(**words: Any) -> dict[str, Any]:
    """Return the form of a business's page."""
    return {name: value for name, value in make_application(**words).items() if name != "clientCode"}


async def code(app: App, who: str | None, operation: str, values: dict[str, Any]) -> str | None:
    outcome = await app.call(who, operation, values)
    return outcome.error and outcome.error["code"]


def mails(app: App) -> list[Any]:
    post = app.application.adapter(Mailer)
    assert isinstance(post, InMemoryMailer)
    return list(post.mails)


async def test_an_applicant_can_apply_be_approved_set_a_password_and_sign_in(app: App) -> None:
    paper = {"kind": "licence", "number": "D-77", "expires_on": "2030-01-31"}
    sent = await app.rest(None, "POST", PATH, form(vehicle="Van", language="de", documents=[paper]))
    assert (sent.status_code, sent.json()["status"]) == (201, "submitted")
    token = sent.json()["token"]
    (waiting,) = (await app.answer("employee", "list_driver_registrations", {"status": "submitted"})).registrations
    assert (waiting.name, waiting.email, waiting.documents[0]["number"]) == ("Eve Moss", "eve@new.example", "D-77")
    admitted = (
        await app.answer("employee", "approve_driver_registration", {"registration_id": waiting.id, "skills": ["lift"]})
    ).registration
    assert (admitted.status, admitted.decided_by) == ("approved", app.ids["employee"])
    await app.work_off()
    (mail,) = mails(app)
    assert mail.to == "eve@new.example"
    assert "Hallo" in mail.text or "Guten Tag" in mail.text
    secret = re.search(r"#(\S+)", mail.text)
    assert secret
    chosen = {"token": secret[1], "password": "a-long-enough-password-9"}
    await app.answer(None, "accept_invitation", chosen)
    session = await app.answer(None, "login", {"email": "eve@new.example", "password": chosen["password"]})
    app.tokens["eve"] = session.access_token
    sheet = await app.answer("eve", "get_driver_info")
    assert (sheet.driver.id, sheet.driver.vehicle, sheet.driver.skills) == (admitted.driver_id, "Van", ["lift"])
    assert [(each.kind, each.status) for each in sheet.documents] == [("licence", "pending")]
    answer = await app.rest(None, "POST", "/v1/driver-applications/status", {"token": token})
    assert answer.json()["status"] == "approved"


async def test_a_rejection_and_its_reason_are_shown_to_the_holder_of_the_token(app: App) -> None:
    registration_id, token = await make_applicant(app)
    asked = {"registration_id": registration_id, "reason": "We need a van."}
    await app.answer("admin", "reject_driver_registration", asked)
    told = await app.answer(None, "get_driver_application", {"token": token})
    assert (told.status, told.reason) == ("rejected", "We need a van.")
    assert await code(app, None, "get_driver_application", {"token": token + "x"}) == "DRIVER_APPLICANT_UNKNOWN"
    await app.work_off()
    assert mails(app) == [], "nothing goes to an address that nobody has proved"


async def test_the_response_is_the_same_for_known_and_unknown_addresses(app: App) -> None:
    await make_driver(app, phone="+14165550123")
    known = await app.rest(None, "POST", PATH, form(email="driver@demo.example"))
    twice = await app.rest(None, "POST", PATH, form(email="driver@demo.example"))
    unknown = await app.rest(None, "POST", PATH, form(phone="+14165559999"))
    said = [(a.status_code, a.json()["status"], a.json()["message"], sorted(a.json())) for a in (known, twice, unknown)]
    assert said[0] == said[1] == said[2]
    assert len({a.json()["token"] for a in (known, twice, unknown)}) == 3
    rehearsed = await app.rest(None, "POST", PATH, form(email="driver@demo.example"), headers={"X-Dry-Run": "yes"})
    assert (rehearsed.status_code, rehearsed.json()["side_effects"]) == (200, [])


async def test_an_existing_address_is_shown_only_to_the_office(app: App) -> None:
    registration_id, _ = await make_applicant(app, email="customer@demo.example")
    asked = {"registration_id": registration_id}
    assert await code(app, "admin", "approve_driver_registration", asked) == "EMAIL_TAKEN"
    assert (await app.answer("admin", "get_driver_registration", asked)).registration.status == "submitted"


async def test_a_business_can_disable_applications(app: App) -> None:
    await app.answer("admin", "set_driver_policy", {"registration_open": False})
    assert await code(app, None, "submit_driver_application", make_application()) == "DRIVER_REGISTRATION_CLOSED"
    assert await code(app, None, "submit_driver_application", make_application(clientCode="rival")) is None
    assert await code(app, None, "submit_driver_application", make_application(clientCode="nobody")) == "NOT_FOUND"


async def test_applications_are_isolated_by_tenant(app: App) -> None:
    registration_id, _ = await make_applicant(app)
    asked = {"registration_id": registration_id}
    assert (await app.answer("rival", "list_driver_registrations")).total == 0
    for operation in ("get_driver_registration", "approve_driver_registration", "reject_driver_registration"):
        assert await code(app, "rival", operation, asked) == "NOT_FOUND"
        for who in ("driver", "contractor", "customer"):
            assert await code(app, who, operation, asked) == "ACCOUNT_NOT_ALLOWED"


@for_every("first", ["approve", "reject", "withdraw"])
async def test_an_application_is_decided_once(app: App, first: str) -> None:
    registration_id, token = await make_applicant(app)
    deeds = {
        "approve": ("admin", "approve_driver_registration", {"registration_id": registration_id}),
        "reject": ("admin", "reject_driver_registration", {"registration_id": registration_id}),
        "withdraw": (None, "withdraw_driver_application", {"token": token}),
    }
    assert await code(app, *deeds[first]) is None
    for deed in deeds.values():
        assert await code(app, *deed) == "DRIVER_REGISTRATION_DECIDED"


async def test_of_two_concurrent_approvals_one_succeeds(app: App) -> None:
    registration_id, _ = await make_applicant(app)
    asked = {"registration_id": registration_id}
    who = ["admin", "employee"] * 4
    found = await asyncio.gather(*(code(app, each, "approve_driver_registration", asked) for each in who))
    assert sorted(map(str, found)) == ["DRIVER_REGISTRATION_DECIDED"] * 7 + ["None"]
    assert (await app.answer("admin", "get_drivers")).total == 1


async def test_a_contractors_driver_is_approved_as_a_contractors_driver(app: App) -> None:
    registration_id, _ = await make_applicant(app)
    asked = {"registration_id": registration_id, "contractor_id": app.ids["driver"]}
    outcome = await app.call("admin", "approve_driver_registration", asked)
    assert outcome.error
    assert outcome.error["errors"][0]["field"] == "contractor_id"
    await app.answer("admin", "approve_driver_registration", {**asked, "contractor_id": app.ids["contractor"]})
    assert (await app.answer("contractor", "get_drivers")).total == 1


async def test_the_token_is_in_no_table_and_no_audit_entry(app: App) -> None:
    registration_id, token = await make_applicant(app)
    async with app.database.read(app.clients["demo"]) as work:
        row = await work.first(select(driver_registrations).where(driver_registrations.c.id == registration_id))
    assert token not in str(row)
    async with app.database.read(None) as work:
        trail = [
            entry for entry in await work.all(select(audit_entries)) if entry.operation == "submit_driver_application"
        ]
    assert [entry.owner_client_id for entry in trail] == [app.clients["demo"]]
    assert token not in str(trail)


async def test_a_dry_run_of_an_approval_shows_the_email_and_creates_no_driver(app: App) -> None:
    registration_id, _ = await make_applicant(app)
    rehearsed = await app.call(
        "admin", "approve_driver_registration", {"registration_id": registration_id}, dry_run=True
    )
    assert [mail.kind for mail in rehearsed.side_effects or []][:1] == ["invitation.mail"]
    assert (await app.answer("admin", "get_drivers")).total == 0
    async with app.database.read(None) as work:
        assert [row for row in await work.all(select(job_table)) if row.kind == "invitation.mail"] == []


async def test_applications_from_one_address_are_limited(database_url: str) -> None:
    async with make_app(database_url, rate_limits=True) as app:
        statuses = [(await app.rest(None, "POST", PATH, form())).status_code for _ in range(6)]
        assert statuses == [201] * 5 + [429]


async def test_every_error_in_an_application_is_reported(app: App) -> None:
    paper = {"kind": "pilot", "issued_on": "2026-02-01", "expires_on": "2026-01-01"}
    body = form(email="no address", name=" ", documents=[paper]) | {"admin": True}
    answer = await app.rest(None, "POST", PATH, body)
    assert answer.status_code == 422
    assert {each["field"] for each in answer.json()["errors"]} >= {"email", "name", "documents.0.kind", "admin"}

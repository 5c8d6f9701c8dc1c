"""Emails about expiring documents: recipients, times, languages and exceptions."""

import pytest
from tests.contexts.fleet.makers import SOON, make_driver, make_driver_document
from tests.contexts.identity.mailbox import received_mails
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.contexts.fleet.driver_documents.notifications import enqueue_expiry_mails
from haulier.contexts.fleet.driver_documents.rules import DriverDocumentKind
from haulier.contexts.fleet.events import DriverDocumentExpiring
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.kernel.job_run import JobRun

ADMIN, DRIVER, CONTRACTOR = "admin@demo.example", "driver@demo.example", "contractor@demo.example"


async def told(app: App, *, days: int = 14) -> list[tuple[str, str]]:
    """Day by day: to whom a letter went, and its subject."""
    for _ in range(days):
        await app.work_off()
        app.clock.forward(days=1)
    return [(mail.to, mail.subject) for mail in await received_mails(app)]


async def test_the_driver_and_the_office_are_emailed_before_and_after_a_document_expires(app: App) -> None:
    await app.answer("admin", "set_driver_policy", {"notice_days": 5})
    await make_driver_document(app, await make_driver(app), expires_on=SOON)
    assert await told(app, days=4) == []
    assert sorted(await told(app, days=1)) == [
        (ADMIN, "Dan: driving licence expires on June 20, 2026"),
        (DRIVER, "Demo: your driving licence expires on June 20, 2026"),
    ]
    later = (await told(app))[2:]
    assert sorted(later) == [
        (ADMIN, "Dan: driving licence has expired"),
        (DRIVER, "Demo: your driving licence has expired"),
    ]


async def test_a_contractor_is_emailed_about_documents_of_their_own_drivers(app: App) -> None:
    driver_id = await make_driver(app, login=None, contractor_id=app.ids["contractor"])
    await make_driver_document(app, driver_id, expires_on=SOON, title="Forklift")
    assert {to for to, _ in await told(app, days=1)} == {ADMIN, CONTRACTOR}
    assert {subject for _, subject in await told(app, days=1)} == {"Dan: Forklift expires on June 20, 2026"}


async def test_each_email_is_in_the_readers_language(app: App) -> None:
    await app.answer("driver", "update_me", {"language": "de"})
    await make_driver_document(app, await make_driver(app), expires_on=SOON)
    await app.work_off()
    (mail,) = await received_mails(app, DRIVER)
    assert mail.subject == "Ihr Dokument für Demo läuft am 20. Juni 2026 ab: Führerschein"
    assert "Guten Tag" in mail.text


@pytest.mark.parametrize("meanwhile", ["removed", "renewed", "left"])
async def test_no_email_is_sent_about_a_superseded_document(app: App, meanwhile: str) -> None:
    driver_id = await make_driver(app)
    paper = await make_driver_document(app, driver_id, expires_on="2026-08-10")
    if meanwhile == "removed":
        await app.answer("admin", "remove_driver_document", {"document_id": paper.id})
    elif meanwhile == "renewed":
        await make_driver_document(app, driver_id, expires_on="2028-01-01")
    else:
        await app.answer("admin", "update_driver", {"driver_id": driver_id, "active": False})
    app.clock.forward(days=60)
    assert await told(app, days=3) == []


async def test_a_repeated_event_sends_one_email_per_reader(app: App) -> None:
    driver_id = await make_driver(app)
    paper = await make_driver_document(app, driver_id, expires_on=SOON)
    first = await told(app, days=1)
    news = DriverDocumentExpiring(
        document_id=paper.id, driver_id=driver_id, kind=paper.kind, expires_on=paper.expires_on, expired=False
    )
    async with JobRun(app.application, app.clients["demo"], 1, 1).call() as call:
        await enqueue_expiry_mails.handler(call, news)
    assert await told(app, days=1) == first


@for_every("language", SUPPORTED_LANGUAGES)
@for_every("kind", DriverDocumentKind)
def test_every_document_kind_has_a_name_in_every_language(language: str, kind: DriverDocumentKind) -> None:
    id = f"paper_kind_{kind}"
    assert Catalogues().translate(language, id) != id

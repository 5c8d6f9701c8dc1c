"""Letters about papers that end: to the driver, to the contractor they drive for, and to the admins of the business."""

from datetime import date

from babel.dates import format_date
from msgspec import Struct

from haulier.contexts.fleet.driver_documents import store
from haulier.contexts.fleet.driver_documents.rules import DriverDocumentKind, ReviewVerdict
from haulier.contexts.fleet.drivers import store as driver_store
from haulier.contexts.fleet.events import DriverDocumentExpiring
from haulier.contexts.identity.public import MailRecipient, get_mail_recipient, list_admin_ids, send_mail_to
from haulier.kernel.application import Application
from haulier.kernel.background.events import subscriber
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.job_run import JobRun

EXPIRY_MAIL_JOB = "driver_document.letter"
OWN_DOCUMENT_MESSAGE, DRIVER_DOCUMENT_MESSAGE = "paper_of_yours", "paper_of_driver"


class SendExpiryMail(Struct, frozen=True, kw_only=True):
    """Whom to write of which paper, which end of it was known, and whether it is over."""

    document_id: int
    user_id: int
    expires_on: date
    expired: bool


@subscriber(DriverDocumentExpiring)
async def enqueue_expiry_mails(call: Call, event: DriverDocumentExpiring) -> None:
    """A letter to each who should see to it. Heard twice, nobody gets a second one."""
    driver = await driver_store.get_driver_row(call.work, event.driver_id)
    if driver is None or not driver.active:
        return
    for user_id in sorted({*await list_admin_ids(call), *filter(None, (driver.user_id, driver.contractor_id))}):
        letter = SendExpiryMail(
            document_id=event.document_id, user_id=user_id, expires_on=event.expires_on, expired=event.expired
        )
        key = f"{event.document_id}:{event.expires_on}:{event.expired}:{user_id}"
        await call.enqueue(EXPIRY_MAIL_JOB, letter, idempotency_key=key)


@job(EXPIRY_MAIL_JOB, SendExpiryMail, max_attempts=4)
async def send_expiry_mail(run: JobRun, args: SendExpiryMail) -> None:
    """Send a letter in its reader's language, unless the paper was removed, rejected or put right meanwhile."""
    assert run.client_id is not None
    async with run.app.database.read(run.client_id) as work:
        to, paper = (
            await get_mail_recipient(work, run.client_id, args.user_id),
            await store.get_driver_document_row(work, args.document_id),
        )
        own = paper is not None and await _is_document_of(work, paper.driver_id, args.user_id)
    if to and paper and paper.verdict == ReviewVerdict.VALID and paper.expires_on == args.expires_on:
        await send_mail_to(
            run.app,
            to,
            f"{OWN_DOCUMENT_MESSAGE if own else DRIVER_DOCUMENT_MESSAGE}_{'ended' if args.expired else 'ends'}",
            kind=_document_name(run.app, to, paper.kind, paper.title),
            driver=paper.driver_name,
            day=format_date(args.expires_on, "long", locale=to.language.replace("-", "_")),
        )


async def _is_document_of(work: UnitOfWork, driver_id: int, user_id: int) -> bool:
    driver = await driver_store.get_driver_row_by_user(work, user_id)
    return driver is not None and driver.id == driver_id


def _document_name(app: Application, to: MailRecipient, kind: str, title: str | None) -> str:
    """What people call a paper: what they wrote on it, else what its kind is called in the reader's language."""
    return title or app.catalogues.translate(to.language, f"paper_kind_{DriverDocumentKind(kind)}")

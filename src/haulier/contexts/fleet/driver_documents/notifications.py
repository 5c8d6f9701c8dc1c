"""Emails about expiring documents, to the driver, the contractor and admins."""

from datetime import date

from babel.dates import format_date
from msgspec import Struct

from haulier.contexts.fleet.driver_documents import store
from haulier.contexts.fleet.driver_documents.rules import DriverDocumentKind, ReviewVerdict
from haulier.contexts.fleet.drivers.queries import get_driver_row, is_driver_of_user
from haulier.contexts.fleet.events import DriverDocumentExpiring
from haulier.contexts.identity.public import MailRecipient, get_mail_recipient, list_admin_ids, send_mail_to
from haulier.kernel.application import Application
from haulier.kernel.background.events import subscriber
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

EXPIRY_MAIL_JOB = "driver_document.mail"
OWN_DOCUMENT_MESSAGE, DRIVER_DOCUMENT_MESSAGE = "paper_of_yours", "paper_of_driver"


class SendExpiryMail(Struct, frozen=True, kw_only=True):
    """Job data of an expiry email.

    Recipient, known expiry date, and whether it passed.
    """

    document_id: int
    user_id: int
    expires_on: date
    expired: bool


@subscriber(DriverDocumentExpiring)
async def enqueue_expiry_mails(call: Call, event: DriverDocumentExpiring) -> None:
    """Enqueue an e-mail to each person concerned. Run twice, it sends nothing twice."""
    driver = await get_driver_row(call, event.driver_id)
    if driver is None or not driver.active:
        return
    admin_ids = await list_admin_ids(call)
    for user_id in sorted({id for id in (*admin_ids, driver.user_id, driver.contractor_id) if id is not None}):
        job_arguments = SendExpiryMail(
            document_id=event.document_id, user_id=user_id, expires_on=event.expires_on, expired=event.expired
        )
        key = f"{event.document_id}:{event.expires_on}:{event.expired}:{user_id}"
        await call.enqueue(EXPIRY_MAIL_JOB, job_arguments, idempotency_key=key)


@job(EXPIRY_MAIL_JOB, SendExpiryMail, max_attempts=4)
async def send_expiry_mail(run: JobRun, args: SendExpiryMail) -> None:
    """Send an expiry email in its reader's language.

    Not if the document was removed, rejected or corrected in the meantime.
    """
    assert run.client_id is not None
    async with run.app.database.read(run.client_id) as work:
        to, document = (
            await get_mail_recipient(work, run.client_id, args.user_id),
            await store.get_driver_document_row(work, args.document_id),
        )
        own = document is not None and await is_driver_of_user(work, document.driver_id, args.user_id)
    if to and document and document.verdict == ReviewVerdict.VALID and document.expires_on == args.expires_on:
        await send_mail_to(
            run.app,
            to,
            f"{OWN_DOCUMENT_MESSAGE if own else DRIVER_DOCUMENT_MESSAGE}_{'ended' if args.expired else 'ends'}",
            kind=_document_name(run.app, to, document.kind, document.title),
            driver=document.driver_name,
            day=format_date(args.expires_on, "long", locale=to.language.replace("-", "_")),
        )


def _document_name(app: Application, to: MailRecipient, kind: str, title: str | None) -> str:
    """The title of a document, else the name of its kind in the reader's language."""
    return title or app.catalogues.translate(to.language, f"paper_kind_{DriverDocumentKind(kind)}")

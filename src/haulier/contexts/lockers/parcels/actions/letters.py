"""Messages about locker parcels by email, SMS or both."""

from typing import Any

from msgspec import Struct

from haulier.contexts.identity.public import MailAttachment, send_mail_to_address
from haulier.contexts.lockers.parcels.actions.pictures import code_picture
from haulier.contexts.messaging.public import SmsRefused, send_sms
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun


class WrittenLetter(Struct, frozen=True, kw_only=True):
    """A rendered message by email, SMS or both, depending on the known addresses."""

    email: str | None
    phone: str | None
    subject: str
    text: str
    picture_note: str
    """Sentence of the email about the attached picture."""
    attachments: tuple[MailAttachment, ...]


def write_letter(
    call: Call, language: str, words: tuple[str, str], said: dict[str, Any], *, email: str | None, phone: str | None
) -> WrittenLetter:
    """Render a message with its subject, text and picture of the `code`."""
    subject, text = (call.app.catalogues.translate(language, message, **said) for message in words)
    note, attachments = code_picture(call, language, said["code"])
    return WrittenLetter(
        email=email, phone=phone, subject=subject, text=text, picture_note=note, attachments=attachments
    )


async def send_letter(run: JobRun, letter: WrittenLetter) -> None:
    """Send a message. An SMS that its provider rejects is not retried."""
    if letter.email:
        text = letter.text + letter.picture_note
        await send_mail_to_address(
            run.app, to=letter.email, subject=letter.subject, text=text, attachments=letter.attachments
        )
    if letter.phone:
        try:
            await send_sms(run.app, run.client_id or 0, letter.phone, letter.text)
        except SmsRefused:
            return

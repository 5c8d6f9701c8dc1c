"""Letters about parcels in lockers go by e-mail, as a text, or both, wherever an address is known."""

from typing import Any

from msgspec import Struct

from haulier.contexts.identity.public import MailAttachment, send_mail_to_address
from haulier.contexts.lockers.parcels.actions.pictures import code_picture
from haulier.contexts.messaging.public import SmsRefused, send_sms
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun


class WrittenLetter(Struct, frozen=True, kw_only=True):
    """A letter that is ready to go: by e-mail, as a text, or both, wherever an address is known."""

    email: str | None
    phone: str | None
    subject: str
    text: str
    picture_note: str
    """What the e-mail says beside, of the picture that it holds."""
    attachments: tuple[MailAttachment, ...]


def write_letter(
    call: Call, language: str, words: tuple[str, str], said: dict[str, Any], *, email: str | None, phone: str | None
) -> WrittenLetter:
    """A letter in a language: the messages of its subject and text, what these say, and a picture of the `code` among it."""
    subject, text = (call.app.catalogues.translate(language, message, **said) for message in words)
    note, attachments = code_picture(call, language, said["code"])
    return WrittenLetter(
        email=email, phone=phone, subject=subject, text=text, picture_note=note, attachments=attachments
    )


async def send_letter(run: JobRun, letter: WrittenLetter) -> None:
    """Send a letter. A text that its provider refuses is not tried again."""
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

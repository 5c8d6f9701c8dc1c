"""Codes as pictures."""

from haulier.contexts.identity.public import MailAttachment
from haulier.kernel.call import Call
from haulier.rendering.qr_png import qr_png


def code_picture(call: Call, language: str, code: str) -> tuple[str, tuple[MailAttachment, ...]]:
    """Return the picture of a code with its caption, or nothing without a code."""
    if not code:
        return "", ()
    said = call.app.catalogues.translate(language, "locker_code_picture")
    return f"\n{said}\n", (MailAttachment(name="code.png", media_type="image/png", content=qr_png(code)),)

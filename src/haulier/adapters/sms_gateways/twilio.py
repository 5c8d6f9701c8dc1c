"""Twilio Programmable Messaging: messages, signed status callbacks and replies.

See twilio.com/docs/messaging/api/message-resource, …/messaging/guides/track-outbound-message-status,
…/messaging/guides/webhook-request and …/usage/security#validating-requests.
"""

import hmac
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha1
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from haulier.adapters.sms_gateways.requests import post_form, provider_document
from haulier.contexts.messaging.ports import (
    ReceiptState,
    SmsAnswered,
    SmsNotice,
    SmsReceipt,
    SmsRefused,
    SmsSubmission,
    SmsUnreadable,
    SmsUnsigned,
)
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")

_STATES = {
    "sent": ReceiptState.SENT,
    "delivered": ReceiptState.DELIVERED,
    "read": ReceiptState.DELIVERED,
    "undelivered": ReceiptState.UNDELIVERED,
    "failed": ReceiptState.FAILED,
    "canceled": ReceiptState.FAILED,
}


class TwilioGateway:
    """Account with Twilio or a compatible provider."""

    def __init__(self, account: str, token: str, sender: str, url: str) -> None:
        self._url = f"{url.rstrip('/')}/2010-04-01/Accounts/{account}/Messages.json"
        self._auth = httpx.BasicAuth(account, token)
        self._token = token
        self._sender = {"MessagingServiceSid" if sender.startswith("MG") else "From": sender}

    async def submit(self, submission: SmsSubmission) -> str:
        """Create a message with a status callback and return its SID."""
        form = {"To": submission.to, "Body": submission.text, "StatusCallback": submission.callback, **self._sender}
        answer = await post_form(self._url, form, auth=self._auth)
        document = provider_document(answer)
        if answer.is_success:
            return str(document.get("sid") or "")
        code = document.get("code")
        if answer.is_client_error and answer.status_code not in {408, 425}:
            message = f"the provider of texts said {answer.status_code}, code {code}"
            raise SmsRefused(message, str(code) if isinstance(code, int) else str(answer.status_code))
        raise OSError(f"the provider of texts said {answer.status_code}")

    def read_notice(self, notice: SmsNotice) -> Sequence[SmsReceipt | SmsAnswered]:
        """Verify and parse a form-encoded status callback or reply.

        Raises `SmsUnsigned` and `SmsUnreadable`.
        """
        try:
            form = dict(parse_qsl(notice.body.decode(), keep_blank_values=True))
        except UnicodeDecodeError:
            raise SmsUnreadable from None
        if not hmac.compare_digest(twilio_signature(self._token, notice.url, form), notice.signature):
            raise SmsUnsigned
        reference = form.get("MessageSid") or form.get("SmsSid")
        if not reference:
            raise SmsUnreadable
        if "MessageStatus" in form:
            state = _STATES.get(form["MessageStatus"])
            code = form.get("ErrorCode") or None
            return [SmsReceipt(provider_ref=reference, state=state, code=code)] if state else []
        if not form.get("From", "").startswith("+"):
            raise SmsUnreadable
        return [SmsAnswered(provider_ref=reference, phone=form["From"], text=form.get("Body", ""))]


def twilio_signature(token: str, url: str, form: dict[str, str]) -> str:
    """Return the expected `X-Twilio-Signature`.

    It is the base64 HMAC-SHA1 of the URL, followed by the name and value of each field, sorted by name.
    """
    signed = url + "".join(name + form[name] for name in sorted(form))
    return b64encode(hmac.digest(token.encode(), signed.encode(), sha1)).decode()

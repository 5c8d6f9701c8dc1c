"""Vonage SMS API: messages, signed delivery receipts and replies.

See developer.vonage.com/en/api/sms and …/getting-started/concepts/signing-messages.
"""

import hmac
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from haulier.adapters.sms_gateways.requests import post_form, provider_document
from haulier.contexts.messaging.ports import (
    ReceiptState,
    SmsAnswered,
    SmsBusy,
    SmsNotice,
    SmsReceipt,
    SmsRefused,
    SmsSubmission,
    SmsUnreadable,
    SmsUnsigned,
)

_THROTTLED, _INTERNAL = "1", "5"
_STATES = {
    "accepted": ReceiptState.SENT,
    "buffered": ReceiptState.SENT,
    "delivered": ReceiptState.DELIVERED,
    "expired": ReceiptState.UNDELIVERED,
    "deleted": ReceiptState.UNDELIVERED,
    "unknown": ReceiptState.UNDELIVERED,
    "failed": ReceiptState.FAILED,
    "rejected": ReceiptState.FAILED,
}


class VonageGateway:
    """Account with Vonage.

    `secret` is the API secret, a colon and the signature secret.
    """

    configured = True

    def __init__(self, account: str, secret: str, sender: str, url: str) -> None:
        self._url = f"{url.rstrip('/')}/sms/json"
        self._account, self._sender = account, sender.removeprefix("+")
        self._secret, _, self._signing = secret.partition(":")

    async def send(self, to: str, text: str) -> None:
        """Send a message without requesting a receipt."""
        await self.submit(SmsSubmission(to=to, text=text, reference="", callback=""))

    async def submit(self, submission: SmsSubmission) -> str:
        """Send a message and return its ID.

        Vonage always responds with 200. The `status` of the message is the actual result.
        """
        form = {
            "api_key": self._account,
            "api_secret": self._secret,
            "from": self._sender,
            "to": submission.to.removeprefix("+"),
            "text": submission.text,
            "type": "text" if submission.text.isascii() else "unicode",
            "client-ref": submission.reference,
            **({"callback": submission.callback} if submission.callback else {}),
        }
        answer = await post_form(self._url, form)
        parts = provider_document(answer).get("messages") or [{}]
        status = str(parts[0].get("status", ""))
        if answer.is_success and status == "0":
            return str(parts[0].get("message-id") or "")
        if status == _THROTTLED:
            raise SmsBusy("the provider of texts wants fewer at a time")
        if status and status != _INTERNAL:
            raise SmsRefused(f"the provider of texts said status {status}", status)
        raise OSError(f"the provider of texts said {answer.status_code}, status {status}")

    def read_notice(self, notice: SmsNotice) -> Sequence[SmsReceipt | SmsAnswered]:
        """Verify and parse a delivery receipt or a reply, as JSON or form data.

        Raises `SmsUnsigned` and `SmsUnreadable`.
        """
        fields = _fields(notice)
        told = fields.pop("sig", "")
        if not self._signing or not hmac.compare_digest(vonage_signature(self._signing, fields), told.lower()):
            raise SmsUnsigned
        reference = fields.get("messageId", "")
        if not reference or not fields.get("msisdn", "").isdecimal():
            raise SmsUnreadable
        if "status" in fields:
            state, code = _STATES.get(fields["status"]), fields.get("err-code")
            arrived = code in (None, "", "0")
            return [SmsReceipt(provider_ref=reference, state=state, code=None if arrived else code)] if state else []
        return [SmsAnswered(provider_ref=reference, phone=f"+{fields['msisdn']}", text=fields.get("text", ""))]


def _fields(notice: SmsNotice) -> dict[str, str]:
    try:
        if notice.content_type == "application/json":
            document: Any = msgspec.json.decode(notice.body)
            return {str(name): str(value) for name, value in document.items()}
        return dict(parse_qsl(notice.body.decode(), keep_blank_values=True))
    except (msgspec.DecodeError, UnicodeDecodeError, AttributeError):
        raise SmsUnreadable from None


def vonage_signature(secret: str, fields: dict[str, str]) -> str:
    """Return the expected `sig` of a webhook.

    It is the hexadecimal HMAC-SHA256 of `&name=value` of each field, sorted by name. `&` and `=` in values are replaced
    with `_`.
    """
    plain = {name: value.replace("&", "_").replace("=", "_") for name, value in fields.items()}
    signed = "".join(f"&{name}={plain[name]}" for name in sorted(plain))
    return hmac.digest(secret.encode(), signed.encode(), "sha256").hex()

"""Text messages: written into a file where an operator wants to see them, or handed to a provider over HTTP."""

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from haulier.adapters.http_client import open_client
from haulier.adapters.owner_files import append_json_line
from haulier.contexts.messaging.ports import SmsRefused, SmsSender
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")

TIMEOUT_S = 10.0
TWILIO_URL = "https://api.twilio.com"


class NoSms:
    """No provider of text messages is set."""

    configured = False

    async def send(self, to: str, text: str) -> None:
        """Raises `SmsRefused`."""
        raise SmsRefused("no provider of text messages is set")


class FileSms:
    """Writes messages into a file, one JSON document a line, that only its owner may read: for trying things out.

    They hold codes, so they go nowhere else, into no log either.
    """

    configured = True

    def __init__(self, path: Path) -> None:
        self._path = path

    async def send(self, to: str, text: str) -> None:
        """Write a message."""
        await append_json_line(self._path, {"to": to, "text": text})


class TwilioSms:
    """Hands messages to Twilio's Programmable Messaging, or to a provider that speaks its protocol.

    One POST of a form (`To`, `From` or `MessagingServiceSid`, `Body`) to `/2010-04-01/Accounts/{sid}/Messages.json` with
    HTTP Basic authentication; 201 when the message was queued. As documented at twilio.com/docs/messaging/api/message-resource.
    """

    configured = True

    def __init__(self, account: str, token: str, sender: str, url: str = TWILIO_URL) -> None:
        self._url = f"{url.rstrip('/')}/2010-04-01/Accounts/{account}/Messages.json"
        self._auth = httpx.BasicAuth(account, token)
        self._sender = {"MessagingServiceSid" if sender.startswith("MG") else "From": sender}

    async def send(self, to: str, text: str) -> None:
        """Hand a message over.

        A 4xx other than 408, 425 and 429 is final: `SmsRefused`. After anything else it can be tried again: `OSError`.
        """
        try:
            async with open_client(timeout=TIMEOUT_S) as http:
                answer = await http.post(self._url, data={"To": to, "Body": text, **self._sender}, auth=self._auth)
        except httpx.HTTPError as error:
            raise OSError(f"the provider of text messages did not answer: {error!r}") from error
        if answer.is_success:
            return
        code = _provider_error_code(answer)
        message = f"the provider of text messages said {answer.status_code}, code {code}"
        if answer.is_client_error and answer.status_code not in {408, 425, 429}:
            raise SmsRefused(message, code or str(answer.status_code))
        raise OSError(message)


def _provider_error_code(answer: "httpx.Response") -> str | None:
    """The provider's own number of the fault. Its text is left out, because it repeats the phone number."""
    try:
        document = answer.json()
    except ValueError:
        return None
    code = document.get("code") if isinstance(document, dict) else None
    return str(code) if isinstance(code, int) else None


def sms_for(where: str | None, sender: str | None) -> SmsSender:
    """The carrier that a setting names: `file:path`, `twilio://account:token@host`, or nobody.

    Raises `ValueError` for anything else, and for a provider without a sender.
    """
    if where is None:
        return NoSms()
    parts = urlsplit(where)
    if parts.scheme == "file" and parts.path:
        return FileSms(Path(parts.path))
    if parts.scheme == "twilio" and parts.username and parts.password and parts.hostname and sender:
        host = f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname
        return TwilioSms(unquote(parts.username), unquote(parts.password), sender, f"https://{host}")
    raise ValueError("text messages go to file:path or twilio://account:token@host, and a provider needs a sender")

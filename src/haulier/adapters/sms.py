"""SMS senders: a file for testing, or a provider over HTTP."""

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
    """Placeholder used when no SMS provider is configured."""

    configured = False

    async def send(self, to: str, text: str) -> None:
        """Raise `SmsRefused`."""
        raise SmsRefused("no provider of text messages is set")


class FileSms:
    """Sender for testing that appends messages to a file as JSON lines.

    Messages contain codes, so only the file's owner can read it and nothing is logged.
    """

    configured = True

    def __init__(self, path: Path) -> None:
        self._path = path

    async def send(self, to: str, text: str) -> None:
        """Append a message to the file."""
        await append_json_line(self._path, {"to": to, "text": text})


class TwilioSms:
    """Client of Twilio Programmable Messaging or a compatible provider.

    Sends one POST of a form (`To`, `From` or `MessagingServiceSid`, `Body`) to
    `/2010-04-01/Accounts/{sid}/Messages.json` with HTTP Basic authentication. The response is 201 when the message is
    queued. Source: twilio.com/docs/messaging/api/message-resource.
    """

    configured = True

    def __init__(self, account: str, token: str, sender: str, url: str = TWILIO_URL) -> None:
        self._url = f"{url.rstrip('/')}/2010-04-01/Accounts/{account}/Messages.json"
        self._auth = httpx.BasicAuth(account, token)
        self._sender = {"MessagingServiceSid" if sender.startswith("MG") else "From": sender}

    async def send(self, to: str, text: str) -> None:
        """Submit a message to the provider.

        Raises `SmsRefused` for a 4xx other than 408, 425 and 429, which is final. Raises `OSError` for any other
        failure, which can be retried.
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
    """Return the provider's error code.

    The error text is dropped because it repeats the phone number.
    """
    try:
        document = answer.json()
    except ValueError:
        return None
    code = document.get("code") if isinstance(document, dict) else None
    return str(code) if isinstance(code, int) else None


def sms_for(where: str | None, sender: str | None) -> SmsSender:
    """Return the SMS sender that a setting names.

    Accepts `file:path`, `twilio://account:token@host`, or None. Raises `ValueError` for anything else, and for a
    provider without a sender.
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

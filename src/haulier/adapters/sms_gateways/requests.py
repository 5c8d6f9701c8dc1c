"""HTTP requests to SMS providers, and the meaning of their failures."""

from typing import TYPE_CHECKING, Any

from haulier.adapters.http_client import open_client
from haulier.contexts.messaging.ports import SmsBusy
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")

TIMEOUT_S = 10.0
NOT_TAKEN = frozenset({429, 503})
"""HTTP statuses of messages that were not accepted but can be retried."""


async def post_form(url: str, form: dict[str, str], **options: Any) -> "httpx.Response":
    """POST a form.

    Raises `SmsBusy` if the message was certainly not accepted, and `OSError` if the outcome is unknown.
    """
    try:
        async with open_client(timeout=TIMEOUT_S) as http:
            answer = await http.post(url, data=form, **options)
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
        raise SmsBusy(f"the provider of texts cannot be reached: {error!r}") from error
    except httpx.HTTPError as error:
        raise OSError(f"the provider of texts did not answer: {error!r}") from error
    if answer.status_code in NOT_TAKEN:
        raise SmsBusy(f"the provider of texts said {answer.status_code}")
    return answer


def provider_document(answer: "httpx.Response") -> dict[str, Any]:
    """Return the JSON object of a response. Empty for other bodies."""
    try:
        document = answer.json()
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}

"""Where an answer may be sent: the addresses that an agent registered, and nowhere else (RFC 9700, section 2.1; RFC 8252)."""

import re
from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit

from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.loopback import LOOPBACK_HOSTS

REDIRECT_URI_REFUSED = declare_error("redirect_uri_refused", 400)
REDIRECT_URI_UNKNOWN = declare_error("redirect_uri_unknown", 400)

_PLAIN = re.compile(r"[\x21-\x7e]+")
_STRANGE = frozenset('\\"<>^`{|}')
"""Signs that no URI has (RFC 3986); browsers read some of them as others."""


def require_redirect_uri(uri: str) -> None:
    """An address that may be registered: https, or plain http to the agent's own machine. Raises `REDIRECT_URI_REFUSED`.

    It is absolute, names no user, and has no fragment (RFC 6749, section 3.1.2). Schemes of an app's own are not taken: any
    other app on the machine may claim the same one.
    """
    parts = _split_uri(uri)
    if parts is None or not (parts.scheme == "https" or _is_loopback(parts)):
        raise REDIRECT_URI_REFUSED(redirect_uri=uri[:200])


def require_registered_redirect_uri(uri: str, registered: Iterable[str]) -> None:
    """The address is exactly one of the agent's; on its own machine the port may differ (RFC 8252, section 7.3).

    Raises `REDIRECT_URI_UNKNOWN`.
    """
    if not any(uri == known_uri or _same_but_port(uri, known_uri) for known_uri in registered):
        raise REDIRECT_URI_UNKNOWN(redirect_uri=uri[:200])


def redirect_host(uri: str) -> str:
    """What a person is shown of an address that was taken: the host that the answer goes to."""
    return urlsplit(uri).hostname or ""


def is_loopback_uri(uri: str) -> bool:
    """Whether the answer stays on the person's own machine."""
    return redirect_host(uri) in LOOPBACK_HOSTS


def _split_uri(uri: str) -> SplitResult | None:
    if not _PLAIN.fullmatch(uri) or _STRANGE & set(uri) or "#" in uri:
        return None
    try:
        parts = urlsplit(uri)
        _ = parts.port  # raises for what is no port
    except ValueError:
        return None
    return parts if parts.hostname and "@" not in parts.netloc else None


def _is_loopback(parts: SplitResult) -> bool:
    return parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS


def _same_but_port(uri: str, registered: str) -> bool:
    requested, known = _split_uri(uri), _split_uri(registered)
    if requested is None or known is None or not (_is_loopback(requested) and _is_loopback(known)):
        return False
    return (requested.hostname, requested.path, requested.query) == (known.hostname, known.path, known.query)

"""Addresses that messages may be posted to, as far as the text of an address tells. What a name leads to is seen when it is
posted to."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from haulier.kernel.operations.errors import declare_error

WEBHOOK_URL_REFUSED = declare_error("webhook_url_refused", 422, fields=("url",))
LOCAL_SUFFIXES = (".local", ".internal", ".localhost", ".home.arpa")


def check_webhook_url(url: str, *, private: bool) -> str | None:
    """Why nothing may be posted to an address, as a code; None when it may.

    Demanded is https to a public host; where `private` addresses are allowed, http to those is too. An address with a password
    in it is refused: it would stand in every log.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "malformed"
    if not url.isascii() or not url.isprintable() or " " in url or not host or parts.scheme not in ("http", "https"):
        return "malformed"
    if "@" in parts.netloc or parts.fragment:
        return "malformed"
    inside = is_private_host(host)
    if inside and not private:
        return "private"
    if parts.scheme == "http" and not inside:
        return "not_https"
    return None


def is_private_host(host: str) -> bool:
    """Whether a host is this machine or its network by its name alone."""
    try:
        ip = ip_address(host)
    except ValueError:
        name = host.rstrip(".").lower()
        return (
            name == "localhost" or "." not in name or name.endswith(LOCAL_SUFFIXES) or name.replace(".", "").isdecimal()
        )
    return not ip.is_global

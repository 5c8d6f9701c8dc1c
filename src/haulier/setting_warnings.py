"""Warnings about settings that are valid, but rarely intended in production."""

from urllib.parse import urlsplit

from haulier.kernel.values.loopback import LOOPBACK_HOSTS
from haulier.settings import Settings


def list_setting_warnings(settings: Settings) -> list[str]:
    """Return one sentence for each questionable setting. The demo has none."""
    if settings.demo:
        return []
    is_embedded = settings.database.startswith("sqlite:")
    is_public = urlsplit(settings.base_url).hostname not in LOOPBACK_HOSTS
    found = {
        "set HAULIER_SECRETS_KEYS (`openssl rand -base64 32`): without it, signing keys and sealed values are files of"
        " this machine, and credentials of carriers and payment providers are refused": settings.secrets_keys is None
        and not is_embedded,
        "set HAULIER_BASE_URL to the public address: links in emails and documents use it": not is_public
        and settings.host not in LOOPBACK_HOSTS,
        "set HAULIER_BASE_URL to an https address: passwords and tokens travel unencrypted": is_public
        and settings.base_url.startswith("http:"),
        "set HAULIER_MAIL: invitations, password resets and notices are not sent": is_public and settings.mail is None,
        "use PostgreSQL, or set HAULIER_WORKERS=1: SQLite has one writer": is_embedded and settings.workers > 1,
        "HAULIER_RATE_LIMITS is off: passwords and codes can be guessed without limit": not settings.rate_limits
        and is_public,
    }
    return [sentence for sentence, applies in found.items() if applies]

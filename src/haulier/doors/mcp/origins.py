"""Which web pages may speak to a server of tools: none but our own and those on the same machine.

A page can be made to reach a server that only its reader's machine reaches, by letting the page's own name point there (DNS
rebinding). A browser says where a page came from; programs say nothing, and pass.
"""

from functools import lru_cache
from urllib.parse import urlsplit

LOCAL = {"localhost", "127.0.0.1", "::1"}


@lru_cache(maxsize=256)
def welcome(origin: str, base_url: str) -> bool:
    """Whether a page of this origin may."""
    try:
        asked, ours = urlsplit(origin), urlsplit(base_url)
        return asked.hostname in LOCAL or (asked.scheme, asked.netloc) == (ours.scheme, ours.netloc)
    except ValueError:
        return False

"""The secrets of endpoints: kept, replaced, and used."""

from datetime import datetime
from typing import Any

from haulier.contexts.integrations.ports import Secrets
from haulier.contexts.integrations.webhooks.rules import signing
from haulier.kernel.house import House


def about(client_id: int) -> str:
    """What a sealed secret is about: it opens for no other client."""
    return f"webhooks of client {client_id}"


def seal(house: House, client_id: int, secret: str) -> str:
    """A secret as it is kept."""
    return house.adapter(Secrets).seal(secret, about(client_id))


def keys(house: House, client_id: int, row: Any, now: datetime) -> list[bytes]:
    """The keys that sign for an endpoint now, newest first; none when its secret cannot be read any more."""
    sealed = [row.sealed_secret]
    if row.sealed_old_secret and row.overlap_until and now < row.overlap_until:
        sealed.append(row.sealed_old_secret)
    opened = (house.adapter(Secrets).open(each, about(client_id)) for each in sealed)
    return [key for secret in opened if secret and (key := signing.key_of(secret))]

"""Giving a client one of the platform's apps: what the operator does where the client's admin does not."""

from datetime import datetime

from haulier.contexts.access.accounts.store import clients as client_store
from haulier.contexts.access.apps import store
from haulier.contexts.access.apps.operations.settings import as_first_offered
from haulier.kernel.data.work import Work


class UnknownApp(LookupError):
    """The platform has no such app, or no such client."""


async def offer(work: Work, *, app_code: str, client_code: str, on: bool, now: datetime) -> bool:
    """Switch an app on or off for a client; all else stays as its admin set it up. Returns whether that changed anything.

    Raises `UnknownApp`.
    """
    there = await store.context(work, app_code, client_code)
    if there is None:
        raise UnknownApp(app_code)
    if bool(there.enabled) is on:
        return False
    if there.assignment_id is None:
        client = await client_store.one(work, there.client_id)
        first = as_first_offered(client.country) | {"enabled": True}
        await store.assign(work, client_id=there.client_id, app_id=there.app_id, **first, version=1, updated_at=now)
    else:
        await store.change(work, there.assignment_id, enabled=on, updated_at=now)
    return True

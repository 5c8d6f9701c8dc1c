"""Giving a client one of the platform's apps: what the operator does where the client's admin does not."""

from datetime import datetime

from haulier.contexts.customer_apps.apps import store
from haulier.contexts.customer_apps.apps.rules.capabilities import default_app_settings
from haulier.contexts.identity.accounts.store import clients as client_store
from haulier.kernel.data.unit_of_work import UnitOfWork


class UnknownApp(LookupError):
    """The platform has no such app, or no such client."""


async def enable_app_for_client(work: UnitOfWork, *, app_code: str, client_code: str, on: bool, now: datetime) -> bool:
    """Switch an app on or off for a client; all else stays as its admin set it up. Returns whether that changed anything.

    Raises `UnknownApp`.
    """
    client_app = await store.get_client_app_row(work, app_code, client_code)
    if client_app is None:
        raise UnknownApp(app_code)
    if bool(client_app.enabled) is on:
        return False
    if client_app.assignment_id is None:
        client = await client_store.get_client_row(work, client_app.client_id)
        first = default_app_settings(client.country) | {"enabled": True}
        await store.insert_app_assignment(
            work, client_id=client_app.client_id, app_id=client_app.app_id, **first, version=1, updated_at=now
        )
    else:
        await store.update_app_assignment(work, client_app.assignment_id, enabled=on, updated_at=now)
    return True

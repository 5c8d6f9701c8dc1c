"""Apps of the platform, and their assignment to clients by the operator."""

from datetime import datetime
from typing import Any

from haulier.contexts.customer_apps.apps import store
from haulier.contexts.customer_apps.apps.rules import default_app_settings
from haulier.contexts.identity.public import require_client
from haulier.kernel.data.unit_of_work import UnitOfWork


class UnknownApp(LookupError):
    """The platform has no such app, or no such client."""


async def enable_app_for_client(work: UnitOfWork, *, app_code: str, client_code: str, on: bool, now: datetime) -> bool:
    """Enable or disable an app for a client; returns True if that changed anything.

    Other settings of the client's admin are unchanged. Raises `UnknownApp`.
    """
    client_app = await store.get_client_app_row(work, app_code, client_code)
    if client_app is None:
        raise UnknownApp(app_code)
    if bool(client_app.enabled) is on:
        return False
    if client_app.assignment_id is None:
        client = await require_client(work, client_app.client_id)
        settings = default_app_settings(client.country) | {"enabled": True}
        await store.insert_app_assignment(
            work, client_id=client_app.client_id, app_id=client_app.app_id, **settings, version=1, updated_at=now
        )
    else:
        await store.update_app_assignment(work, client_app.assignment_id, enabled=on, updated_at=now)
    return True


async def add_app(work: UnitOfWork, **values: Any) -> int:
    """Insert an app of the platform and return its id.

    Raises `UniqueConflict` if the code is taken.
    """
    return await store.insert_app(work, **values)

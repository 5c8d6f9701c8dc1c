"""The interface of customer apps for the command line and the demo data."""

from datetime import datetime

from haulier.contexts.customer_apps.apps import actions
from haulier.contexts.customer_apps.apps.actions import UnknownApp as UnknownApp
from haulier.contexts.customer_apps.apps.rules import ACCOUNTS_BY_APP_TYPE
from haulier.kernel.data.unit_of_work import UnitOfWork


async def create_app(
    work: UnitOfWork,
    *,
    code: str,
    name: str,
    type: str,
    now: datetime,
    idp_issuer: str | None = None,
    server_client_id: str | None = None,
) -> int:
    """Create an app of the platform, which clients can then enable, and return its id.

    Raises `UniqueConflict` if the code is taken. `idp_issuer` is the OpenID provider whose tokens for the audience
    `server_client_id` are trusted. `KeyError` for an unknown type of app.
    """
    return await actions.add_app(
        work,
        code=code,
        name=name,
        type=type,
        schema_version=1,
        roles=sorted(ACCOUNTS_BY_APP_TYPE[type]),
        idp_issuer=idp_issuer,
        server_client_id=server_client_id,
        active=True,
        created_at=now,
    )


async def set_app_enabled(work: UnitOfWork, *, app_code: str, client_code: str, on: bool, now: datetime) -> bool:
    """Enable or disable an app for a client, for the platform's operator.

    Returns True if that changed anything. Raises `UnknownApp` for an unknown app or client.
    """
    return await actions.enable_app_for_client(work, app_code=app_code, client_code=client_code, on=on, now=now)

"""Opening a session of an app for a user who proved who they are."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from haulier.contexts.access.accounts import tokens
from haulier.contexts.access.accounts.tokens import Issued
from haulier.contexts.access.app_sessions import store
from haulier.contexts.access.app_sessions.contract import AppContext, AppSession, AppUser
from haulier.contexts.access.app_sessions.rules import End
from haulier.contexts.access.apps.contract.fields import OnADevice
from haulier.contexts.access.apps.entrance import Context
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account


async def open_session(call: Call, context: Context, user: Any, request: OnADevice, method: str) -> AppSession:
    """A session for a user on a device. The one they had there in this app ends."""
    for earlier in await store.on_device(call.work, context.client_id, user.id, context.app_id, request.device_id):
        await store.end(call.work, earlier, at=call.now, why=End.SIGNED_IN_AGAIN)
    issued = await a_token(call, context, user.id, request)
    session_id = await store.open_session(
        call.work,
        issued.id,
        client_id=context.client_id,
        user_id=user.id,
        app_id=context.app_id,
        device_id=request.device_id,
        device_platform=request.device_platform,
        app_version=request.app_version,
        method=method,
        created_at=call.now,
    )
    call.arrived(context.client_id, user.id, Account(user.account))
    call.concerns("user", user.id)
    call.concerns("app_session", session_id)
    return dressed(context, user, issued)


async def a_token(call: Call, context: Context, user_id: int, request: OnADevice) -> Issued:
    """A token for a session. The user finds it in their list of sessions under the app's name."""
    name = f"{context.about.name} ({request.device_platform})"
    return await tokens.issue(call.work, client_id=context.client_id, user_id=user_id, now=call.now, name=name)


def dressed(context: Context, user: Any, issued: Issued) -> AppSession:
    """A session as the app gets it."""
    return AppSession(
        access_token=issued.token,
        expires_at=on_the_wall(issued.expires_at, context.time_zone),
        expires_timestamp=int(issued.expires_at.timestamp()),
        user=AppUser(id=user.id, name=user.name, email=user.email),
        app_context=AppContext(
            app_code=context.about.code,
            client_code=context.about.client_code,
            client_name=context.about.client_name,
            configuration_version=context.about.version,
        ),
    )


def on_the_wall(at: datetime, time_zone: str) -> str:
    """An instant as the business's clocks show it: `YYYY-MM-DD HH:MM:SS`."""
    return at.astimezone(ZoneInfo(time_zone)).strftime("%Y-%m-%d %H:%M:%S")

"""Opening a session of an app for a user who proved who they are."""

from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from haulier.contexts.customer_apps.app_sessions import store
from haulier.contexts.customer_apps.app_sessions.contract import AppContext, AppSession, AppUser
from haulier.contexts.customer_apps.app_sessions.rules import SessionEndReason
from haulier.contexts.customer_apps.apps.contract.fields import DeviceRequest
from haulier.contexts.customer_apps.apps.queries import ClientApp
from haulier.contexts.identity.public import IssuedAccessToken, issue_access_token
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.records import columns


class SignedInUser(Protocol):
    """The user of a session: a row of a user, however it was found, or a customer who has just registered."""

    @property
    def id(self) -> int: ...

    @property
    def name(self) -> str: ...

    @property
    def email(self) -> str: ...

    @property
    def account(self) -> str: ...


async def open_app_session(
    call: Call, context: ClientApp, user: SignedInUser, request: DeviceRequest, method: str
) -> AppSession:
    """A session for a user on a device. Their earlier session in this app on the device ends."""
    for earlier in await store.list_open_sessions_on_device(
        call.work, context.client_id, user.id, context.app_id, request.device_id
    ):
        await store.end_app_session(call.work, earlier, at=call.now, why=SessionEndReason.SIGNED_IN_AGAIN)
    issued = await issue_session_token(call, context, user.id, request)
    owner = {"client_id": context.client_id, "user_id": user.id, "app_id": context.app_id}
    values = columns(store.sessions, request, **owner, method=method, created_at=call.now)
    session_id = await store.insert_app_session(call.work, issued.id, **values)
    call.signed_in(context.client_id, user.id, Account(user.account))
    call.add_audit_subjects("user", user.id)
    call.add_audit_subjects("app_session", session_id)
    return to_app_session(context, user, issued)


async def issue_session_token(
    call: Call, context: ClientApp, user_id: int, request: DeviceRequest
) -> IssuedAccessToken:
    """A token for a session. The user finds it in their list of sessions under the app's name."""
    name = f"{context.about.name} ({request.device_platform})"
    return await issue_access_token(call.work, client_id=context.client_id, user_id=user_id, now=call.now, name=name)


def to_app_session(context: ClientApp, user: SignedInUser, issued: IssuedAccessToken) -> AppSession:
    """The answer with a session and its token."""
    return AppSession(
        access_token=issued.token,
        expires_at=format_local_time(issued.expires_at, context.time_zone),
        expires_timestamp=int(issued.expires_at.timestamp()),
        user=AppUser(id=user.id, name=user.name, email=user.email),
        app_context=AppContext(
            app_code=context.about.code,
            client_code=context.about.client_code,
            client_name=context.about.client_name,
            configuration_version=context.about.version,
        ),
    )


def format_local_time(at: datetime, time_zone: str) -> str:
    """An instant in a time zone: `YYYY-MM-DD HH:MM:SS`."""
    return at.astimezone(ZoneInfo(time_zone)).strftime("%Y-%m-%d %H:%M:%S")

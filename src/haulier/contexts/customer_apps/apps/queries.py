"""An app at a client, which every call of an app names in its path."""

from collections.abc import Iterable
from typing import cast

from msgspec import Struct

from haulier.contexts.customer_apps.apps import store
from haulier.contexts.customer_apps.apps.contract import ClientAppRef, DeviceRequest
from haulier.contexts.customer_apps.apps.rules import (
    AppVersionPolicy,
    SignInMethod,
    active_sign_in_methods,
    require_app_available,
    require_method_enabled,
    require_version_allowed,
    version_state,
)
from haulier.contexts.customer_apps.apps.store import AvailableAppRow, ClientAppRow, VersionPolicyRow
from haulier.contexts.messaging.public import SmsSender
from haulier.kernel.application import Application
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.errors import NOT_FOUND


class ClientApp(Struct, frozen=True, kw_only=True):
    """An app that is available at a client.

    `about` is the row of the app, the client and the assignment. `sms` is true if SMS can be sent for the client.
    """

    app_id: int
    client_id: int
    assignment_id: int
    time_zone: str
    roles: tuple[str, ...]
    methods: frozenset[SignInMethod]
    sms: bool
    about: AvailableAppRow


async def get_client_app(
    app: Application, work: UnitOfWork, request: ClientAppRef, method: SignInMethod | None = None
) -> ClientApp:
    """The app and client that a path names.

    Raises `NOT_FOUND` for an unknown app or client, `APP_UNAVAILABLE` where the client does not offer the app, and
    `SIGN_IN_METHOD_OFF` when it does not offer the method.
    """
    row = await store.get_client_app_row(work, request.app_code, request.client_code)
    if row is None:
        raise NOT_FOUND()
    require_app_available(active=row.active, enabled=row.enabled)
    available = cast(
        "AvailableAppRow", row
    )  # an app that is enabled has an assignment, so none of its settings is null
    trusted = bool(row.idp_issuer and row.server_client_id)
    sms = row.sms_account_id is not None or app.adapter(SmsSender).configured
    context = ClientApp(
        app_id=row.app_id,
        client_id=row.client_id,
        assignment_id=available.assignment_id,
        time_zone=row.time_zone,
        roles=tuple(row.roles),
        methods=active_sign_in_methods(available.methods, provider_known=trusted, sms=sms, roles=row.roles),
        sms=sms,
        about=available,
    )
    if method:
        require_method_enabled(method, context.methods)
    return context


async def get_client_app_for_device(
    app: Application, work: UnitOfWork, request: DeviceRequest, method: SignInMethod | None = None
) -> ClientApp:
    """Return the app as `get_client_app`, for an app that sends its version.

    Also raises `APP_UPDATE_REQUIRED`.
    """
    context = await get_client_app(app, work, request, method)
    if request.app_version:
        policies = to_version_policies(await store.list_version_policies(work, context.app_id, context.client_id))
        require_version_allowed(version_state(request.app_version, policies.get(request.device_platform)))
    return context


def to_version_policies(rows: Iterable[VersionPolicyRow]) -> dict[str, AppVersionPolicy]:
    """Version policies by platform."""
    return {
        row.platform: AppVersionPolicy(minimum=row.minimum, recommended=row.recommended, blocked=tuple(row.blocked))
        for row in rows
    }


async def find_client_app(work: UnitOfWork, app_code: str, client_code: str) -> ClientAppRow | None:
    """Return an app and a client with their assignment, or None if either is unknown.

    Also if the app is unavailable.
    """
    return await store.get_client_app_row(work, app_code, client_code)


async def lock_client_app(work: UnitOfWork, context: ClientApp) -> None:
    """Lock the assignment of an app to a client until the end of the transaction."""
    await store.lock_app_assignment(work, context.assignment_id)

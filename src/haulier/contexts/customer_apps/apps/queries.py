"""The way into an app at a client: every call of an app passes here first."""

from typing import Any

from msgspec import Struct

from haulier.contexts.customer_apps.apps import store
from haulier.contexts.customer_apps.apps.contract.fields import ClientAppRef, DeviceRequest
from haulier.contexts.customer_apps.apps.rules.access import (
    require_app_available,
    require_method_enabled,
    require_version_allowed,
)
from haulier.contexts.customer_apps.apps.rules.capabilities import SignInMethod, active_sign_in_methods
from haulier.contexts.customer_apps.apps.rules.versions import AppVersionPolicy, version_standing
from haulier.contexts.messaging.ports import SmsSender
from haulier.kernel.application import Application
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.errors import NOT_FOUND


class ClientApp(Struct, frozen=True, kw_only=True):
    """An app at a client, open to its people. `about` is the row of both and of what binds them.

    `sms` is whether text messages can be sent for the client.
    """

    app_id: int
    client_id: int
    assignment_id: int
    time_zone: str
    roles: tuple[str, ...]
    methods: frozenset[SignInMethod]
    sms: bool
    about: Any


async def get_client_app(
    app: Application, work: UnitOfWork, request: ClientAppRef, method: SignInMethod | None = None
) -> ClientApp:
    """The context that a path names.

    Raises `NOT_FOUND` for an app or client that is not there, `APP_UNAVAILABLE` where the client does not offer the app, and
    `SIGN_IN_METHOD_OFF` when it does not offer the method.
    """
    row = await store.get_client_app_row(work, request.app_code, request.client_code)
    if row is None:
        raise NOT_FOUND()
    require_app_available(active=row.active, enabled=row.enabled)
    trusted = bool(row.idp_issuer and row.server_client_id)
    sms = row.sms_account_id is not None or app.adapter(SmsSender).configured
    context = ClientApp(
        app_id=row.app_id,
        client_id=row.client_id,
        assignment_id=row.assignment_id,
        time_zone=row.time_zone,
        roles=tuple(row.roles),
        methods=active_sign_in_methods(row.methods, provider_known=trusted, sms=sms, roles=row.roles),
        sms=sms,
        about=row,
    )
    if method:
        require_method_enabled(method, context.methods)
    return context


async def get_client_app_for_device(
    app: Application, work: UnitOfWork, request: DeviceRequest, method: SignInMethod | None = None
) -> ClientApp:
    """The same, for an app that says which version it has. Raises `APP_UPDATE_REQUIRED` besides."""
    context = await get_client_app(app, work, request, method)
    if request.app_version:
        policies = to_version_policies(await store.list_version_policies(work, context.app_id, context.client_id))
        require_version_allowed(version_standing(request.app_version, policies.get(request.device_platform)))
    return context


def to_version_policies(rows: Any) -> dict[str, AppVersionPolicy]:
    """Version policies by platform."""
    return {
        row.platform: AppVersionPolicy(minimum=row.minimum, recommended=row.recommended, blocked=tuple(row.blocked))
        for row in rows
    }

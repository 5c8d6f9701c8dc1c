"""The way into an app at a client: every call of an app passes here first."""

from typing import Any

from msgspec import Struct

from haulier.contexts.access.apps import store
from haulier.contexts.access.apps.contract.fields import AppAtClient, OnADevice
from haulier.contexts.access.apps.rules.access import demand_available, demand_let_in, demand_open
from haulier.contexts.access.apps.rules.menu import Method, methods_in_force
from haulier.contexts.access.apps.rules.versions import Policy, standing
from haulier.contexts.access.ports import Sms
from haulier.kernel.data.work import Work
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.house import House


class Context(Struct, frozen=True, kw_only=True):
    """An app at a client, open to its people. `about` is the row of both and of what binds them.

    `sms` is whether text messages can be sent for the client.
    """

    app_id: int
    client_id: int
    assignment_id: int
    time_zone: str
    roles: tuple[str, ...]
    methods: frozenset[Method]
    sms: bool
    about: Any


async def enter(house: House, work: Work, request: AppAtClient, method: Method | None = None) -> Context:
    """The context that a path names.

    Raises `NOT_FOUND` for an app or client that is not there, `APP_UNAVAILABLE` where the client does not offer the app, and
    `SIGN_IN_METHOD_OFF` when it does not offer the method.
    """
    row = await store.context(work, request.app_code, request.client_code)
    if row is None:
        raise NOT_FOUND()
    demand_available(active=row.active, enabled=row.enabled)
    trusted = bool(row.idp_issuer and row.server_client_id)
    sms = row.sms_account_id is not None or house.adapter(Sms).configured
    context = Context(
        app_id=row.app_id,
        client_id=row.client_id,
        assignment_id=row.assignment_id,
        time_zone=row.time_zone,
        roles=tuple(row.roles),
        methods=methods_in_force(row.methods, provider_known=trusted, sms=sms, roles=row.roles),
        sms=sms,
        about=row,
    )
    if method:
        demand_open(method, context.methods)
    return context


async def enter_from_device(house: House, work: Work, request: OnADevice, method: Method | None = None) -> Context:
    """The same, for an app that says which version it has. Raises `APP_UPDATE_REQUIRED` besides."""
    context = await enter(house, work, request, method)
    if request.app_version:
        policies = policies_of(await store.policies_at(work, context.app_id, context.client_id))
        demand_let_in(standing(request.app_version, policies.get(request.device_platform)))
    return context


def policies_of(rows: Any) -> dict[str, Policy]:
    """Version policies by platform."""
    return {
        row.platform: Policy(minimum=row.minimum, recommended=row.recommended, blocked=tuple(row.blocked))
        for row in rows
    }

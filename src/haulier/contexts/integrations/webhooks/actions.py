"""The principal that an endpoint was set up by: asked for again at every delivery (decision 0165)."""

from collections.abc import Iterable
from typing import Protocol

from haulier.contexts.identity.public import SetUpBy, list_standing_principals
from haulier.contexts.integrations.webhooks.rules.event_catalog import EVENT_BY_NAME, CatalogEvent
from haulier.contexts.integrations.webhooks.rules.retries import DisableReason
from haulier.contexts.integrations.webhooks.store import endpoints as store
from haulier.kernel.application import Application
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.declaration import Request
from haulier.kernel.pipeline.audit import record_audit_entry
from haulier.kernel.pipeline.reach import can_call
from haulier.kernel.principal import Business, Principal, system_principal


class StoppedEndpoint(Request):
    """The entry of the audit trail for an endpoint that stopped with the user or token that set it up."""

    url: str
    disabled_why: str
    set_up_by: int
    set_up_with: int | None = None


class SetUpEndpoint(Protocol):
    """A row that names who set an endpoint up."""

    @property
    def set_up_by(self) -> int | None: ...
    @property
    def set_up_with(self) -> int | None: ...


class EndpointPrincipals:
    """The principals behind the endpoints of a client, in two statements."""

    def __init__(self, business: Business, standing: dict[SetUpBy, Principal]) -> None:
        self._business = business
        self._standing = standing

    def find(self, row: SetUpEndpoint) -> Principal | None:
        """Return who receives at an endpoint; None when the user or the token that set it up has ended."""
        if row.set_up_by is None:
            return system_principal(self._business)
        return self._standing.get((row.set_up_by, row.set_up_with))


async def load_endpoint_principals(
    app: Application, work: UnitOfWork, business: Business, rows: Iterable[SetUpEndpoint]
) -> EndpointPrincipals:
    """Load the principals behind some endpoints."""
    who = {(row.set_up_by, row.set_up_with) for row in rows if row.set_up_by is not None}
    return EndpointPrincipals(business, await list_standing_principals(work, business, who, app.clock()))


def may_receive(app: Application, principal: Principal, event: CatalogEvent | str) -> bool:
    """Return True if a principal can read the data of an event. Test messages hold none."""
    entry = EVENT_BY_NAME.get(event) if isinstance(event, str) else event
    return entry is None or can_call(app.registry[entry.read_by], principal)


async def stop_endpoint(run: JobRun, endpoint_id: int, url: str, row: SetUpEndpoint) -> None:
    """Switch off an endpoint whose user or token has ended, once, with an entry in the audit trail."""
    why = DisableReason.SET_UP_ENDED.value
    async with run.call() as call:
        if await store.disable_webhook_endpoint(call.work, endpoint_id, at=call.now, why=why):
            call.add_audit_subjects("client", call.client_id)
            entry = StoppedEndpoint(
                url=url, disabled_why=why, set_up_by=row.set_up_by or 0, set_up_with=row.set_up_with
            )
            await record_audit_entry(call, "update_webhook_settings", entry, "system")

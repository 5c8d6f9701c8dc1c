"""Provider keys whose issuer lost the right to issue them are suspended."""

from datetime import timedelta

from haulier.contexts.tracking.ports import KeyIssuers
from haulier.contexts.tracking.providers import store
from haulier.contexts.tracking.providers.queries import find_key_lapses
from haulier.kernel.application import Application
from haulier.kernel.background.periodic import periodic
from haulier.kernel.call import call_as_system, call_within
from haulier.kernel.operations.declaration import Request
from haulier.kernel.pipeline.audit import record_audit_entry

SUSPEND_EVERY = timedelta(minutes=5)


class SuspendedProviderKey(Request):
    """The entry of the audit trail for a suspended key."""

    provider_id: int
    suspended_reason: str
    set_up_by: int
    set_up_with: int | None = None


@periodic(SUSPEND_EVERY)
async def suspend_lapsed_keys(app: Application) -> None:
    """Record suspended keys, each with an entry in the audit trail.

    They stopped working with their issuer.
    """
    async with app.database.read(None) as work:
        clients = await store.list_clients_with_answered_keys(work)
    for client_id in clients:
        await _suspend_keys_of(app, client_id)


async def _suspend_keys_of(app: Application, client_id: int) -> None:
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        rows = await store.list_answered_keys(work)
        lapses = await find_key_lapses(app.adapter(KeyIssuers), work, call.business, rows, call.now)
        for row in rows:
            lapse = lapses.get(row.id)
            if lapse and await store.mark_provider_key_suspended(work, row, call.now, lapse.value):
                entry = SuspendedProviderKey(
                    provider_id=row.id,
                    suspended_reason=lapse.value,
                    set_up_by=row.set_up_by or 0,
                    set_up_with=row.set_up_with,
                )
                each = call_within(call, call.principal)
                each.add_audit_subjects("provider_key", row.id)
                await record_audit_entry(each, "suspend_provider_key", entry, "system")

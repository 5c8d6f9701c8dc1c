"""Job that suspends grants whose giver lost the right to give them."""

from datetime import timedelta

from haulier.contexts.alliances.alliances import store
from haulier.contexts.alliances.alliances.queries import find_grant_lapses
from haulier.kernel.application import Application
from haulier.kernel.background.periodic import periodic
from haulier.kernel.call import call_as_system, call_within
from haulier.kernel.operations.declaration import Request
from haulier.kernel.pipeline.audit import record_audit_entry

SUSPEND_EVERY = timedelta(minutes=5)


class SuspendedTrackingGrant(Request):
    """Audit entry of a suspended grant."""

    grant_id: int
    suspended_reason: str
    set_up_by: int
    set_up_with: int | None = None


@periodic(SUSPEND_EVERY)
async def suspend_lapsed_grants(app: Application) -> None:
    """Record suspended grants in the giver's audit trail.

    They already show nothing.
    """
    async with app.database.read(None) as work:
        clients = await store.list_clients_with_answered_grants(work)
    for client_id in clients:
        await _suspend_grants_of(app, client_id)


async def _suspend_grants_of(app: Application, client_id: int) -> None:
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        rows = await store.list_answered_grants(work, client_id)
        lapses = await find_grant_lapses(call, rows)
        for row in rows:
            lapse = lapses.get(row.id)
            if lapse and await store.suspend_grant(work, row, call.now, lapse.value):
                entry = SuspendedTrackingGrant(
                    grant_id=row.id,
                    suspended_reason=lapse.value,
                    set_up_by=row.set_up_by or 0,
                    set_up_with=row.set_up_with,
                )
                each = call_within(call, call.principal)
                each.add_audit_subjects("tracking_grant", row.id)
                await record_audit_entry(each, "suspend_tracking_grant", entry, "system")

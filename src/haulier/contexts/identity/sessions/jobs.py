"""Failed sign-ins in the audit trail, recorded in the background."""

from msgspec import Struct

from haulier.contexts.identity.accounts.actions import lock_admins
from haulier.contexts.identity.accounts.notifications import MAX_ADMIN_RECIPIENTS
from haulier.contexts.identity.accounts.queries import find_user
from haulier.contexts.identity.accounts.rules import SPRAY_NOTICE_PAUSE, SPRAY_USERS, SPRAY_WINDOW, pause_after
from haulier.contexts.identity.sessions.notifications import SPRAY_JOB, SendSprayNotice
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Account
from haulier.kernel.pipeline.audit import count_audited_users, has_audit_entry, record_audit_entry

FAILED_SIGN_IN_JOB = "sign_in.failed"
FAILED_SIGN_IN = "failed_sign_in"
SIGN_IN_SPRAY = "sign_in_spray"
"""Names of audit entries that no operation writes."""


class FailedSignIn(Request):
    """Audit entry of a failed sign-in: failures in a row, and the following pause."""

    failures: int
    pause_s: int


class SignInSpray(Request):
    """Audit entry of failed sign-ins for many users within an hour."""

    users: int


class RecordFailedSignIn(Struct, frozen=True, kw_only=True):
    """Job arguments: a failed sign-in; without a user for an unknown address."""

    client_id: int | None
    user_id: int | None
    times: int
    address: str | None
    agent: str | None


@job(FAILED_SIGN_IN_JOB, RecordFailedSignIn)
async def record_failed_sign_in(run: JobRun, args: RecordFailedSignIn) -> None:
    """Write the audit entry for the business of the user, and detect sprays."""
    if args.client_id is None or args.user_id is None:
        return
    async with run.app.database.write(args.client_id) as work:
        user = await find_user(work, args.user_id)
        if user is None:
            return
        now = run.app.clock()
        call = await call_as_system(run.app, args.client_id, work, now=now, address=args.address, agent=args.agent)
        call.set_signed_in(args.client_id, user.id, Account(user.account))
        call.add_audit_subjects("user", user.id)
        pause_s = int(pause_after(args.times).total_seconds())
        await record_audit_entry(call, FAILED_SIGN_IN, FailedSignIn(failures=args.times, pause_s=pause_s), "system")
        await _report_spray(call)


async def _report_spray(outer: Call) -> None:
    """Notify the admins once a day of failed sign-ins for many users."""
    client_id, now = outer.client_id, outer.now
    users = await count_audited_users(outer.work, client_id, FAILED_SIGN_IN, now - SPRAY_WINDOW)
    if users < SPRAY_USERS:
        return
    admin_ids = await lock_admins(outer.work)  # failures that are recorded at the same time report one spray
    if await has_audit_entry(outer.work, client_id, SIGN_IN_SPRAY, now - SPRAY_NOTICE_PAUSE):
        return
    call = await call_as_system(outer.app, client_id, outer.work, now=now)
    await record_audit_entry(call, SIGN_IN_SPRAY, SignInSpray(users=users), "system")
    for admin_id in admin_ids[:MAX_ADMIN_RECIPIENTS]:
        await call.enqueue(SPRAY_JOB, SendSprayNotice(user_id=admin_id, users=users))

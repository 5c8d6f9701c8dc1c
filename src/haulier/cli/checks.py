"""Checks of `haulier doctor`."""

import asyncio
import shutil
import ssl
import tempfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from haulier.adapters.mailer import SmtpMailer, mailer_for
from haulier.adapters.object_store import object_store_for
from haulier.contexts.documents.public import list_certificates
from haulier.health import list_pending_revisions
from haulier.kernel.application import Application
from haulier.kernel.background.job_console import count_jobs
from haulier.kernel.background.queue import JobState
from haulier.kernel.data.clock import DatabaseClock
from haulier.kernel.data.tables import tenant_tables
from haulier.kernel.maintenance import find_maintenance
from haulier.key_watch import KeyWatch
from haulier.nodes import MAX_SKEW_S
from haulier.setting_warnings import list_setting_warnings
from haulier.settings import Settings

CHECK_TIMEOUT_S = 15
LEAST_FREE = 0.1
"""Share of a disk that should be free."""
RENEW_BEFORE = timedelta(days=14)
"""Time before its end at which a certificate should be renewed."""


class CheckState(StrEnum):
    """The outcome of a check. `skipped` means that the setting is not used."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"
    SKIPPED = "skipped"


class DoctorResult(Struct, frozen=True):
    """The outcome of one check, with a sentence."""

    check: str
    state: CheckState
    detail: str


Outcome = tuple[CheckState, str]
CheckFunction = Callable[[Application, Settings], Awaitable[Outcome]]


async def run_checks(app: Application, settings: Settings) -> list[DoctorResult]:
    """Run all checks in sequence. A check that fails or hangs is an error of its own."""
    findings: list[DoctorResult] = []
    for name, check in CHECKS.items():
        try:
            async with asyncio.timeout(CHECK_TIMEOUT_S):
                state, detail = await check(app, settings)
        except TimeoutError:
            state, detail = CheckState.ERROR, f"no answer within {CHECK_TIMEOUT_S} s"
        except Exception as fault:
            state, detail = CheckState.ERROR, f"{type(fault).__name__}: {fault}"
        findings.append(DoctorResult(name, state, detail))
    return findings


async def check_settings(app: Application, settings: Settings) -> Outcome:
    """Report questionable settings."""
    warnings = list_setting_warnings(settings)
    return (CheckState.WARNING, "; ".join(warnings)) if warnings else (CheckState.OK, "no warnings")


async def check_database(app: Application, settings: Settings) -> Outcome:
    """Check that the database is reachable, writable and migrated."""
    pending = await list_pending_revisions(app.database)
    if pending:
        return CheckState.ERROR, f"{len(pending)} migrations are pending. Run haulier db upgrade."
    async with app.database.write(None) as work:
        mode = await find_maintenance(work)
    if mode:
        return CheckState.WARNING, f"maintenance since {mode.began_at.isoformat(timespec='seconds')}: {mode.reason}"
    return CheckState.OK, f"{app.database.dialect}, writable, no migrations pending"


async def check_role(app: Application, settings: Settings) -> Outcome:
    """Check that row-level security binds the role and covers every tenant table."""
    if app.database.dialect == "sqlite":
        return CheckState.SKIPPED, "SQLite has no roles"
    from haulier.adapters.postgres_checks import read_server_facts

    tables = [table.name for table in tenant_tables() if table.info.get("row_level_security", True)]
    facts = await read_server_facts(settings.database, tables)
    if facts.sees_every_row:
        return CheckState.ERROR, f"row-level security does not bind the role {facts.role}. Use another role."
    if facts.unprotected:
        return CheckState.ERROR, f"no row-level security on {', '.join(facts.unprotected[:5])}"
    return CheckState.OK, f"PostgreSQL {facts.version}, {facts.size}, row-level security binds the role {facts.role}"


async def check_clock(app: Application, settings: Settings) -> Outcome:
    """Compare this machine's clock with the database's."""
    if app.database.dialect == "sqlite" or not isinstance(app.clock, DatabaseClock):
        return CheckState.SKIPPED, "SQLite uses this machine's clock"
    await app.clock.synchronise()
    state = CheckState.OK if abs(app.clock.skew_s) <= MAX_SKEW_S else CheckState.ERROR
    return state, f"{app.clock.skew_s:+.3f} s from the database's clock"


async def check_disk(app: Application, settings: Settings) -> Outcome:
    """Check the free space of the folders that this machine writes to."""
    usage = _read_disk_usage(settings)
    shares = {folder: each.free / each.total for folder, each in usage.items()}
    low = [folder for folder, share in shares.items() if share < LEAST_FREE]
    detail = ", ".join(f"{folder}: {usage[folder].free / 2**30:.1f} GiB free" for folder in low or shares)
    return (CheckState.WARNING if low else CheckState.OK), detail


def _read_disk_usage(settings: Settings) -> dict[Path, Any]:
    """Return the usage of the disks that this machine writes to, by folder."""
    folders = {Path.cwd(), Path(tempfile.gettempdir())}
    if settings.database.startswith("sqlite:///"):
        folders.add(Path(settings.database.removeprefix("sqlite:///")).resolve().parent)
    if settings.objects and settings.objects.startswith("file:"):
        folders.add(Path(settings.objects.removeprefix("file:")))
    return {folder: shutil.disk_usage(folder) for folder in sorted(folders) if folder.exists()}


async def check_mail(app: Application, settings: Settings) -> Outcome:
    """Sign in at the mail server without sending anything."""
    if settings.mail is None:
        return CheckState.SKIPPED, "no mail server is set"
    mailer = mailer_for(settings.mail, settings.mail_from)
    if not isinstance(mailer, SmtpMailer):
        return CheckState.OK, "emails are written to a file"
    await mailer.check()
    return CheckState.OK, "the mail server accepts the sign-in"


async def check_object_store(app: Application, settings: Settings) -> Outcome:
    """Write, read and remove a file."""
    if settings.objects is None:
        return CheckState.SKIPPED, "files are stored in the database"
    store, key, content = object_store_for(settings.objects), "doctor/probe", b"haulier doctor"
    await store.put(key, content, "text/plain")
    intact = await store.get(key) == content
    await store.remove(key)
    return (CheckState.OK, "a file was written, read and removed") if intact else (CheckState.ERROR, "wrong content")


async def check_keys(app: Application, settings: Settings) -> Outcome:
    """Check that the keys can be read and fit the database."""
    if fault := await KeyWatch(app, registers=False).check():
        return CheckState.ERROR, fault
    if settings.secrets_keys is None:
        return CheckState.SKIPPED, "no keys are set; the signing folder is used"
    return CheckState.OK, "the keys fit the database"


async def check_signing(app: Application, settings: Settings) -> Outcome:
    """Check the end of the certificate that signs documents."""
    async with app.database.read(None) as work:
        certificates = await list_certificates(work)
    if not certificates:
        return CheckState.SKIPPED, "created with the first signed document"
    return _assess_end("signing certificate", certificates[0].valid_until, app.clock())


async def check_tls(app: Application, settings: Settings) -> Outcome:
    """Check the certificate of the public address."""
    address = urlsplit(settings.base_url)
    if address.scheme != "https" or not address.hostname:
        return CheckState.SKIPPED, "the public address is not https"
    context = ssl.create_default_context()
    _, writer = await asyncio.open_connection(address.hostname, address.port or 443, ssl=context)
    ends = writer.get_extra_info("peercert")["notAfter"]
    writer.close()
    return _assess_end(address.hostname, datetime.fromtimestamp(ssl.cert_time_to_seconds(ends), UTC), app.clock())


async def check_brokers(app: Application, settings: Settings) -> Outcome:
    """Open a connection to the brokers of streams and chats."""
    named = [text for text in (settings.streams, settings.channel) if text]
    if not named:
        return CheckState.SKIPPED, "no broker is set"
    hosts: list[str] = []
    for address in (urlsplit(each) for text in named for each in text.split(",")):
        _, writer = await asyncio.open_connection(address.hostname, address.port or 4222)
        writer.close()
        hosts.append(f"{address.hostname}:{address.port or 4222}")
    return CheckState.OK, f"{', '.join(hosts)} accept connections"


async def check_jobs(app: Application, settings: Settings) -> Outcome:
    """Report dead jobs and old waiting ones."""
    async with app.database.read(None) as work:
        counts = await count_jobs(work)
    dead = sum(each.jobs for each in counts if each.state == JobState.DEAD)
    oldest = min((each.oldest for each in counts if each.state == JobState.READY), default=app.clock())
    waiting_s = max(0.0, (app.clock() - oldest).total_seconds())
    detail = f"{dead} dead, the oldest waiting job is due for {waiting_s:.0f} s"
    late = waiting_s > timedelta(minutes=5).total_seconds()
    return (CheckState.WARNING if dead or late else CheckState.OK), detail


def _assess_end(what: str, ends: datetime, now: datetime) -> Outcome:
    if ends <= now:
        return CheckState.ERROR, f"the certificate of {what} ended on {ends:%Y-%m-%d}"
    state = CheckState.WARNING if ends - now < RENEW_BEFORE else CheckState.OK
    return state, f"the certificate of {what} is valid until {ends:%Y-%m-%d}"


CHECKS: dict[str, CheckFunction] = {
    "settings": check_settings,
    "database": check_database,
    "role": check_role,
    "clock": check_clock,
    "disk": check_disk,
    "mail": check_mail,
    "object store": check_object_store,
    "keys": check_keys,
    "signing": check_signing,
    "TLS": check_tls,
    "brokers": check_brokers,
    "jobs": check_jobs,
}

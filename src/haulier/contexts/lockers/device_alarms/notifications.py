"""Emails to the admins of a business about silent, low and recovered devices."""

from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from babel.dates import format_datetime

from haulier.contexts.identity.public import MailRecipient, get_mail_recipient, send_mail_to
from haulier.contexts.lockers.device_alarms import store
from haulier.contexts.lockers.device_alarms.rules import LETTER_JOB, SendAlarmEmail
from haulier.contexts.lockers.device_alarms.store import DeviceAlarmRow
from haulier.contexts.lockers.devices.queries import get_watched_devices
from haulier.contexts.lockers.sites.queries import get_site_names
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

PAGE = "/desk/device-alarms"
LINES_MAX = 30
"""Maximum number of devices listed in an email."""


@job(LETTER_JOB, SendAlarmEmail, max_attempts=4)
async def send_alarm_email(run: JobRun, args: SendAlarmEmail) -> None:
    """Email alarms to an admin: the devices, their sites and start times."""
    async with run.call() as call:
        to = await get_mail_recipient(call.work, call.client_id, args.user_id)
        rows = await store.list_alarms(call.work, args.alarm_ids)
        lines = await _lines(call, to, rows) if to else []
    if to and lines:
        said = {"count": len(rows), "lines": "\n".join(lines), "link": f"{run.app.base_url}{PAGE}"}
        await send_mail_to(run.app, to, f"device_alarms_{args.status}", **said)


async def _lines(call: Call, to: MailRecipient, rows: Any) -> list[str]:
    say = partial(call.app.catalogues.translate, to.language)
    devices = await get_watched_devices(call, {row.device_id for row in rows})
    sites = await get_site_names(call, {row.site_id for row in rows if row.site_id})
    lines = []
    for row in rows[:LINES_MAX]:
        name = devices[row.device_id].name
        at_site = f"{name} ({sites[row.site_id]})" if row.site_id in sites else name
        lines.append(_line(call, say, to.language, row, at_site))
    return [*lines, *([say("device_alarms_more", count=len(rows) - LINES_MAX)] if len(rows) > LINES_MAX else [])]


def _line(call: Call, say: Any, language: str, row: DeviceAlarmRow, name: str) -> str:
    when = partial(_moment, zone=call.time_zone, language=language)
    return say(
        f"device_alarm_{row.kind}_{row.status}",
        device=name,
        since=when(row.last_seen_at),
        pct=row.battery_pct,
        ended=when(row.ended_at),
    )


def _moment(at: Any, *, zone: ZoneInfo, language: str) -> str:
    return format_datetime(at, "long", tzinfo=zone, locale=language.replace("-", "_")) if at else ""

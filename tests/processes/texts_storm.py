"""An SMS campaign over a real message centre while its servers are killed."""

import asyncio
import base64
import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
from msgspec import Struct
from sqlalchemy import update
from tests.adapters.message_centre import LISTEN, Centre, make_centre
from tests.processes.server_process import ServerProcess, eventually, make_admin, make_server, post_json, query_rows

from haulier.adapters.database import database_for
from haulier.contexts.messaging.campaigns.store.tables import messages
from haulier.contexts.messaging.sms.store import sms_accounts
from haulier.kernel.background.job_table import job_table
from haulier.kernel.data.clock import utc_now

KEY = base64.b64encode(b"k" * 32).decode()
CONSENT = {"basis": "express_written", "method": "web_form", "wording": "Yes, text me. STOP ends it."}
SETTINGS = {
    "business_name": "Demo",
    "help_contact": "help@demo.example",
    "throttle_per_minute": 60_000,
    "daily_cap": 10**6,
}
ZONES = (
    *("Pacific/Pago_Pago", "Pacific/Honolulu", "America/Anchorage", "America/Phoenix", "America/Bogota"),
    *("America/Sao_Paulo", "Atlantic/Cape_Verde", "Africa/Lagos", "Africa/Nairobi", "Asia/Karachi", "Asia/Dhaka"),
    *("Asia/Shanghai", "Australia/Brisbane", "Pacific/Auckland"),
)
OPEN = "SELECT count(*) FROM sms_message WHERE state IN ('waiting', 'sending')"
STATES = "SELECT state, count(*) FROM sms_message GROUP BY state"


class Outcome(Struct, frozen=True):
    """Messages received by the centre, and their stored status, by number."""

    taken: Counter[str]
    statuses: dict[str, str]

    def faults(self, recipients: int, unknown: int) -> list[str]:
        """Return errors: repeated messages and missing or contradictory statuses."""
        twice = [number for number, times in self.taken.items() if times > 1]
        wrong = [n for n, state in self.statuses.items() if (state == "delivered") != (n in self.taken)]
        counts = Counter(self.statuses.values())
        faults = [f"{len(twice)} numbers got more than one text"] if twice else []
        faults += [f"{len(wrong)} statuses differ from those of the centre"] if wrong else []
        faults += [f"{len(self.statuses)} of {recipients} have a status"] if len(self.statuses) != recipients else []
        faults += [f"{counts}"] if set(counts) - {"delivered", "unknown"} or counts["unknown"] > unknown else []
        return faults


@contextmanager
def make_centre_beside() -> Generator[Centre]:
    """Run a message centre in a thread that repeats receipts until they are accepted."""
    ready, loop = threading.Event(), asyncio.new_event_loop()
    found: list[Centre] = []
    over = asyncio.Event()

    async def run() -> None:
        async with make_centre() as centre:
            centre.receipts = "DELIVRD"
            found.append(centre)
            ready.set()
            await over.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()))
    thread.start()
    ready.wait()
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


def place_at_noon() -> str:
    """Return a time zone in which it is about noon.

    Messages may be sent at that time.
    """
    return min(ZONES, key=lambda zone: abs(datetime.now(ZoneInfo(zone)).hour - 13))


def let_an_hour_pass(database: str) -> None:
    """Move claims of a killed server back by an hour, so that its leases expire."""

    async def passed() -> None:
        application, ago = database_for(database), utc_now() - timedelta(hours=1)
        await application.open()
        async with application.write(None) as plain:
            work = plain.without_tenant_filter("a clock goes for all clients")
            await work.run(update(job_table).where(job_table.c.lease_until.is_not(None)).values(lease_until=ago))
            await work.run(update(messages).where(messages.c.state == "sending").values(claimed_at=ago))
            await work.run(update(sms_accounts).values(kept_until=ago))
        await application.close()

    asyncio.run(passed())


def storm(folder: Path, database: str, recipients: int, kills: int) -> Outcome:
    """Send a campaign while servers are killed an hour apart.

    The last server finishes it.
    """
    admin = make_admin(database)
    with make_centre_beside() as centre:
        settings: dict[str, Any] = {"secrets_keys": KEY, "smpp": f"acme=smpp://127.0.0.1:{centre.port}?{LISTEN}"}
        for killed in range(kills + 1):
            with make_server(folder, database, **settings) as server:
                if killed == 0:
                    begin(server, admin, recipients)
                if killed < kills:
                    enough = recipients * (killed + 1) // (kills + 1)
                    eventually(lambda enough=enough: len(centre.taken) >= enough, server)
                    server.kill()
                    let_an_hour_pass(database)
                else:
                    eventually(lambda: query_rows(database, OPEN) == [(0,)], server)
                    eventually(lambda: delivered(database) == len(centre.taken), server)
        taken = Counter(f"+{each.destination_addr}" for each in centre.taken)
    return Outcome(taken, dict(query_rows(database, "SELECT phone, state FROM sms_message")))


def delivered(database: str) -> int:
    """Return the number of delivered messages by receipt."""
    return dict(query_rows(database, STATES)).get("delivered", 0)


def begin(server: ServerProcess, admin: dict[str, str], recipients: int) -> None:
    """Set up a business and schedule a campaign to a number of recipients."""
    put(server, "client/profile/features/sms_marketing", {"enabled": True}, admin)
    put(server, "sms-marketing/settings", SETTINGS, admin)
    account = {"provider": "smpp", "account": "shop", "secret": "secret", "sender": "+15005550006"}
    put(server, "client/profile/sms", account, admin)
    rows = "".join(f"+1416{number:07},{place_at_noon()}\n" for number in range(2_000_000, 2_000_000 + recipients))
    asked = {"content": f"phone,time_zone\n{rows}", "consent": CONSENT}
    imported = post_json(server.base, "sms-marketing/contact-imports", asked, admin)["sms_import"]["id"]
    path = f"/api/v1/sms-marketing/contact-imports/{imported}"
    eventually(lambda: server.get(path, headers=admin).json()["sms_import"]["state"] == "done", server)
    template = {"name": "Sale", "texts": {"en": "10% off"}}
    text = post_json(server.base, "sms-marketing/templates", template, admin)["template"]["id"]
    segment = post_json(server.base, "sms-marketing/segments", {"name": "All"}, admin)["segment"]["id"]
    draft = {"name": "Sale", "sms_segment_id": segment, "variants": [{"sms_template_id": text}]}
    campaign = post_json(server.base, "sms-marketing/campaigns", draft, admin)["campaign"]["id"]
    post_json(server.base, f"sms-marketing/campaigns/{campaign}/schedule", {}, admin)


def put(server: ServerProcess, path: str, body: Any, headers: dict[str, str]) -> None:
    """Call a PUT operation; `path` is below /api/v1."""
    answer = httpx.put(f"{server.base}/api/v1/{path}", json=body, headers=headers, timeout=180)
    assert answer.status_code == 200, answer.text

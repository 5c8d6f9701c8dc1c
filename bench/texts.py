"""SMS throughput and durability of a campaign: `python -m bench.texts`.

It measures messages per second from claim to receipt over SMPP and HTTP. The application runs in this process and the
providers in its threads: for SMPP the server of smpp34 over TCP, for HTTP a server that behaves as Vonage documents it,
with receipts posted to the REST API without a network. The time runs from the first claim until the last receipt is
stored. A campaign to 10,000 recipients then runs over SMPP from a separate server process that is killed twice.
"""

import argparse
import asyncio
import os
import platform
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from sqlalchemy import func, select
from tests.adapters.message_centre import LISTEN
from tests.adapters.mqtt_broker import cancelled
from tests.adapters.sms_gateway_server import (
    VONAGE_KEY,
    VONAGE_SECRET,
    VONAGE_SIGNING,
    run_gateway_server,
    sign_as_vonage,
)
from tests.contexts.messaging.campaigns.makers import CONSENT, SETTINGS, make_campaign
from tests.processes.texts_storm import make_centre_beside, storm
from tests.support.app import App, make_app
from tests.support.databases import cluster

from bench.databases import database_address, private_cluster
from haulier.adapters.smpp.lines import SmppLines, parse_centres
from haulier.adapters.sms_gateways.directory import HttpSmsProviders
from haulier.adapters.vault import KEY_BYTES, EncryptedVault
from haulier.contexts.messaging.campaigns.actions.dispatch import BATCH, RunSmsCampaign, run_campaign_step
from haulier.contexts.messaging.campaigns.jobs import listen_to_message_centres
from haulier.contexts.messaging.campaigns.store.tables import SmsCampaignRow, messages
from haulier.contexts.messaging.ports import SecretVault, SmsLines, SmsProviderDirectory
from haulier.kernel.call import call_as_system

PAGE = Path(__file__).parent / "TEXTS.md"
TEXTS, RECIPIENTS, KILLS = 2_000, 10_000, 2
SENDER = "+15005550006"
console = Console(width=120)


class Speed(NamedTuple):
    """Speed of one way of sending."""

    name: str
    per_s: float
    cpu_us: float


def connect(app: App, lines: SmppLines, directory: HttpSmsProviders) -> None:
    """Connect an application to providers on this machine."""
    adapters: Any = app.application.adapters
    adapters[SecretVault] = EncryptedVault(b"k" * KEY_BYTES)
    adapters[SmsLines], adapters[SmsProviderDirectory] = lines, directory


async def prepare(app: App, texts: int, account: dict[str, str]) -> None:
    """Create a business with a campaign whose messages are ready to be sent."""
    await app.answer("admin", "set_feature", {"feature": "sms_marketing", "enabled": True})
    limits = {"throttle_per_minute": 60_000, "daily_cap": 1_000_000}
    await app.answer("admin", "set_sms_marketing_settings", {**SETTINGS, **limits})
    await app.answer("admin", "set_sms_account", {**account, "sender": SENDER})
    rows = "".join(f"+1416{2_000_000 + number},America/Toronto\n" for number in range(texts))
    await app.answer("admin", "import_sms_contacts", {"content": f"phone,time_zone\n{rows}", "consent": CONSENT})
    await app.work_off()
    campaign = await make_campaign(app)
    await app.answer("admin", "schedule_sms_campaign", {"sms_campaign_id": campaign})
    client = app.clients["demo"]
    prepared = False
    while not prepared:
        async with app.database.write(client) as work:
            call = await call_as_system(app.application, client, work)
            row = await SmsCampaignRow.get(work, campaign)
            prepared = row is not None and row.status == "sending" and row.prepared_until is None
            if not prepared:
                await run_campaign_step(call, RunSmsCampaign(campaign_id=campaign, round=1))


async def until_delivered(app: App, texts: int) -> None:
    """Wait until receipts of all messages arrived."""
    delivered = select(func.count()).select_from(messages).where(messages.c.state == "delivered")
    async with asyncio.timeout(600):
        while True:
            async with app.database.read(app.clients["demo"]) as work:
                if await work.value(delivered) == texts:
                    return
            await asyncio.sleep(0.05)


async def send_all(app: App, texts: int) -> None:
    """Run the campaign until its last receipt is stored."""
    await app.work_off()
    await until_delivered(app, texts)


async def measured(name: str, app: App, texts: int) -> Speed:
    """Measure wall-clock and processor time of sending, including providers."""
    wall, cpu = time.perf_counter(), time.process_time()
    await send_all(app, texts)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Speed(name, texts / wall, cpu / texts * 1e6)


async def over_smpp(url: str, texts: int) -> Speed:
    """Measure with a message centre that immediately sends a receipt."""
    with make_centre_beside() as centre:
        async with make_app(url) as app:
            lines = SmppLines(parse_centres(f"c=smpp://127.0.0.1:{centre.port}?{LISTEN}"))
            connect(app, lines, HttpSmsProviders(smpp=lines))
            await prepare(app, texts, {"provider": "smpp", "account": "shop", "secret": "secret"})
            async with cancelled(listen_to_message_centres(app.application)):
                speed = await measured("SMPP", app, texts)
            await lines.close()
            return speed


async def over_http(url: str, texts: int) -> Speed:
    """Measure with a provider that responds as Vonage does and posts receipts."""
    with run_gateway_server() as desk:
        async with make_app(url) as app:
            connect(app, SmppLines(), HttpSmsProviders(vonage=desk.url))
            secret = f"{VONAGE_SECRET}:{VONAGE_SIGNING}"
            await prepare(app, texts, {"provider": "vonage", "account": VONAGE_KEY, "secret": secret})

            async def call_back() -> None:
                handled = 0
                while True:
                    waiting = desk.taken[handled:]
                    for number, taken in enumerate(waiting, handled + 1):
                        form = {"messageId": f"0A{number:014}", "status": "delivered", "msisdn": taken["to"]}
                        path = taken["callback"].partition("/api")[2]
                        await app.rest(None, "POST", path, sign_as_vonage(form))
                    handled += len(waiting)
                    await asyncio.sleep(0 if waiting else 0.005)

            async with cancelled(call_back()):
                return await measured("HTTP", app, texts)


def durable(url: str, recipients: int) -> list[str]:
    """Return the lines about a campaign whose server is killed twice."""
    with tempfile.TemporaryDirectory(prefix="haulier-bench-") as folder:
        outcome = storm(Path(folder), url, recipients, kills=KILLS)
    statuses = Counter(outcome.statuses.values())
    twice = sum(times > 1 for times in outcome.taken.values())
    faults = outcome.faults(recipients, unknown=BATCH * KILLS)
    outcomes = ", ".join(f"{state}: {count:,}" for state, count in sorted(statuses.items()))
    return [
        f"{recipients:,} recipients, {KILLS} kills: {outcomes}.",
        f"The provider accepted messages for {len(outcome.taken):,} numbers, {twice} of them twice.",
        f"Outcomes that it contradicts, and other errors: {'; '.join(faults) or 'none'}.",
        "",
    ]


@contextmanager
def make_empty_database(name: str) -> Generator[str]:
    """Yield a new database."""
    with database_address(name) as url:
        yield url
    if name == "postgres":
        cluster().sweep()


def measure_on(name: str, texts: int, recipients: int) -> list[str]:
    """Return the section of a database."""
    speeds: list[Speed] = []
    for way in (over_smpp, over_http):
        with make_empty_database(name) as url:
            speeds.append(asyncio.run(way(url, texts)))
    lines = [f"## {name} (load average {os.getloadavg()[0]:.0f})", ""]
    lines += ["| | texts a second | processor µs each |", "|---|---|---|"]
    lines += [f"| {speed.name} | {speed.per_s:,.0f} | {speed.cpu_us:,.0f} |" for speed in speeds]
    with make_empty_database(name) as url:
        return [*lines, "", *durable(url, recipients)]


def main(asked: Sequence[str] | None = None) -> None:
    """Measure and write the results page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgres"])
    parser.add_argument("--texts", type=int, default=TEXTS)
    parser.add_argument("--recipients", type=int, default=RECIPIENTS)
    parser.add_argument("--look", action="store_true", help="write no page")
    options = parser.parse_args(asked)
    shown: list[str] = []
    with private_cluster(options.databases):
        for name in options.databases:
            section = measure_on(name, options.texts, options.recipients)
            console.print(*section, sep="\n", markup=False)
            shown += section
    if options.look:
        return
    machine = f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores"
    PAGE.write_text(
        f"""# Cost of SMS

`python -m bench.texts`, {datetime.now(UTC):%Y-%m-%d}, {machine}.

{options.texts:,} messages of a campaign from the first claim until the last receipt is stored, {BATCH} claimed and 10
sent at once, by one process that also runs the provider: the server of smpp34 over TCP, or a server that behaves like Vonage
and posts receipts to the REST API. Processor time includes all of them, without PostgreSQL.

Then a campaign runs over SMPP from a separate server process that is killed (SIGKILL) on the way; the next one continues when
the leases of the killed one end. Messages that the provider accepted are delivered once; messages that were claimed with an
unknown outcome are `unknown` and not sent again.

"""
        + "\n".join(shown)
    )


if __name__ == "__main__":
    main()

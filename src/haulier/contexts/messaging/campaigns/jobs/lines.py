"""Message centres are heard: one process keeps the connection of an account, and what comes over it is that account's client's.

A delivery is answered once it is stored, so none is lost with a process. Another process takes an account over when its keeper
has not said for half a minute that it is still there.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from secrets import token_hex

from haulier.contexts.messaging.campaigns.actions.contacts import lock_rights
from haulier.contexts.messaging.campaigns.actions.replies import take_receipt, take_reply
from haulier.contexts.messaging.ports import SmsAccountRefused, SmsAnswered, SmsBusy, SmsLines, SmsReceipt
from haulier.contexts.messaging.sms.actions import KeptLine, keep_lines, let_lines_go, note_line_fault
from haulier.kernel.application import Application
from haulier.kernel.background.tasks import end_tasks
from haulier.kernel.call import call_as_system
from haulier.kernel.data.unit_of_work import TransactionRetry

LEASE, LOOK_S = timedelta(seconds=30), 10.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
ATTEMPTS = 5
News = Sequence[SmsReceipt | SmsAnswered]
log = logging.getLogger("haulier.smpp")


async def hear_message_centres(app: Application, look_s: float = LOOK_S) -> None:
    """Hear the message centres of all clients whose accounts nobody else keeps, until cancelled."""
    holder, tasks = token_hex(16), dict[KeptLine, asyncio.Task[None]]()
    try:
        while True:
            try:
                kept = await keep_lines(app, holder, LEASE)
            except Exception:
                log.exception("the accounts with message centres could not be kept")
            else:
                await end_tasks(*[tasks.pop(line) for line in tasks.keys() - kept])
                for line in kept - tasks.keys():
                    tasks[line] = asyncio.create_task(_hear(app, line), name=f"smpp-{line.client_id}")
            await asyncio.sleep(look_s)
    finally:
        await end_tasks(*tasks.values())
        with suppress(Exception):
            await let_lines_go(app, holder)


async def _hear(app: Application, line: KeptLine) -> None:
    """Hear one account, again and again; the pauses grow as long as nothing comes of it."""
    pause_s = FIRST_PAUSE_S

    async def take(news: News) -> None:
        nonlocal pause_s
        pause_s = FIRST_PAUSE_S
        if news:
            await take_news(app, line.client_id, news)

    while True:
        try:
            await app.adapter(SmsLines).listen(line.account, line.secret, take)
        except SmsAccountRefused as refused:
            pause_s = LONGEST_PAUSE_S
            log.warning("client %s: %s", line.client_id, refused)
            with suppress(Exception):
                await note_line_fault(app, line.client_id, "bind_refused")
        except (SmsBusy, KeyError) as fault:
            log.warning("client %s: %s", line.client_id, fault)
        except Exception:
            log.exception("client %s: the message centre is not heard", line.client_id)
        await asyncio.sleep(pause_s)
        pause_s = min(pause_s * 2, LONGEST_PAUSE_S)


async def take_news(app: Application, client_id: int, news: News) -> None:
    """Write down what a message centre told of a client's texts, all of it or nothing."""
    for attempt in range(ATTEMPTS):
        try:
            async with app.database.write(client_id) as work:
                call = await call_as_system(app, client_id, work)
                await lock_rights(call)  # as claims do, which touch many texts in another order
                for each in news:
                    if isinstance(each, SmsReceipt):
                        await take_receipt(call, each, None)
                    else:
                        await take_reply(call, each)
            return
        except TransactionRetry:
            if attempt == ATTEMPTS - 1:
                raise

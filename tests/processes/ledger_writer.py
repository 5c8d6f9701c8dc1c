"""A process that moves money until it is killed.

Run it with `… tests.processes.ledger_writer DATABASE CLIENT SEED FILE COUNT`.

The moves depend on the seed only, so that a second run repeats them. Each transfer is written to the file after its
commit: `key,minor`. COUNT 0 runs forever.
"""

import asyncio
import itertools
import random
import sys
from pathlib import Path

from haulier.app import build_application
from haulier.contexts.billing import public as billing
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.money import Money
from haulier.settings import Settings

CUSTOMERS = (11, 12)
ABOUT = billing.MoneySubject("label", 1)


async def move(call: Call, key: str, draw: random.Random) -> None:
    """Run one random transaction of a wallet."""
    customer, money = draw.choice(CUSTOMERS), Money(draw.randint(1, 500), "CAD")
    match draw.randrange(3):
        case 0:
            await billing.top_up(call, customer, money, key=key)
        case 1:
            await billing.charge(call, customer, money, key=key, subject=ABOUT)
        case _:
            hold = await billing.hold_credit(call, customer, money, key=f"hold:{key}", subject=ABOUT)
            await billing.capture_hold(call, hold.id, key=key)


async def write(database: str, client_id: int, seed: str, file: Path, count: int) -> None:
    """Move money in separate transactions and record each."""
    application = build_application(Settings(database=database, background=False))
    await application.database.open()
    with file.open("a") as done:
        for number in range(count) if count else itertools.count():
            key = f"{seed}:{number}"
            while True:
                try:
                    async with application.database.write(client_id) as work:
                        await move(await call_as_system(application, client_id, work), key, random.Random(key))
                except TransactionRetry:
                    continue
                except OperationError:
                    break
                print(key, file=done, flush=True)
                break
    await application.database.close()


if __name__ == "__main__":
    asyncio.run(write(sys.argv[1], int(sys.argv[2]), sys.argv[3], Path(sys.argv[4]), int(sys.argv[5])))

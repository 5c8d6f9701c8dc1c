"""Cost and accuracy of shared rate limits.

Run `python -m bench.shared_limits postgresql://…` on a migrated database. Two nodes send requests at full speed in one
event loop; results are microseconds per call and calls allowed.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from haulier.adapters.database import database_for
from haulier.kernel.data.notices import client_subject, notice_payloads
from haulier.kernel.http.rate_limits import RateLimiter
from haulier.kernel.operations.declaration import RateLimit
from haulier.kernel.operations.errors import OperationError

CALLS = 2000
BATCHES = 10
NODES = 2


async def per_call_us(step: Callable[[int], Awaitable[object]], calls: int = CALLS) -> float:
    """Return the mean microseconds of a step in the best of ten batches.

    This reduces the effect of other work on the machine.
    """
    batches = []
    for batch in range(BATCHES):
        began = time.perf_counter()
        for number in range(batch * calls // BATCHES, (batch + 1) * calls // BATCHES):
            await step(number)
        batches.append((time.perf_counter() - began) / (calls // BATCHES) * 1e6)
    return min(batches)


async def let_in(limiters: list[RateLimiter], limit: RateLimit, calls: int) -> int:
    """Return how many of the calls on each node are allowed."""

    async def ask(limiter: RateLimiter) -> int:
        count = 0
        for _ in range(calls):
            try:
                await limiter.consume("bench", (limit,), lambda _: run, datetime.now(UTC))
                count += 1
            except OperationError:
                pass
            await asyncio.sleep(0.0002)
        return count

    run = str(time.time())
    return sum(await asyncio.gather(*map(ask, limiters)))


async def main(url: str) -> None:
    """Print the results."""
    databases = [database_for(url) for _ in range(NODES)]
    for database in databases:
        await database.open()
    alone, shared = RateLimiter(), [RateLimiter(database) for database in databases]
    wide = RateLimit(10**9, 60)

    def ask(limiter: RateLimiter, *, exact: bool = False) -> Callable[[int], Awaitable[object]]:
        return lambda n: limiter.consume("bench", (wide,), lambda _: str(n % 50), datetime.now(UTC), exact=exact)

    print(f"in memory alone      {await per_call_us(ask(alone)):8.1f} µs a call")
    print(f"shared, approximate  {await per_call_us(ask(shared[0])):8.1f} µs a call")
    print(f"exact, one row a call{await per_call_us(ask(shared[0], exact=True), 300):8.1f} µs a call")
    for times in (20, 120, 600):
        print(f"{times} allowed, {NODES} nodes: {await let_in(shared, RateLimit(times, 3600), 2 * times)} let in")
    for count in (1, 100, 1000):
        payloads = notice_payloads([client_subject(17, f"2026-06-{number:05}") for number in range(count)])
        print(f"a notice of {count} subjects: {sum(map(len, payloads))} bytes in {len(payloads)} payloads")
    for limiter in shared:
        await limiter.close()
    for database in databases:
        await database.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))

"""Mixed load on several nodes with retries.

It includes orders, events, lists, timelines and streams.
"""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from bench.scale.ledger import Ledger
from bench.scale.nodes import Node

RETRY_PAUSE_S = 0.1
READ_PAUSE_S = 0.02
CONSIGNEE = {"name": "Ada Lovelace", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}
PLACE = {"lat": 43.6534, "lng": -79.3841}


class MixedLoad:
    """All callers. `key` is a provider key, `token` an admin token.

    `numbers` are tracking numbers.
    """

    def __init__(self, nodes: Sequence[Node], ledger: Ledger, token: str, key: str, numbers: Sequence[str]) -> None:
        self._nodes = nodes
        self._ledger = ledger
        self._office = {"Authorization": f"Bearer {token}"}
        self._provider = {"Authorization": f"Bearer {key}"}
        self._numbers = numbers
        self._writing = True
        self._reading = True
        self._http = httpx.AsyncClient(timeout=40, limits=httpx.Limits(max_connections=200), verify=False)

    async def run(self, seconds: float, settle_s: float, faults: Sequence[Any]) -> None:
        """Write and read while `faults` happen, then let streams catch up."""
        writers = [asyncio.create_task(self._create_orders(who)) for who in range(4)]
        writers += [asyncio.create_task(self._post_events(who)) for who in range(3)]
        readers = [asyncio.create_task(read()) for read in (self._read_lists, self._read_timelines) for _ in range(2)]
        readers += [
            asyncio.create_task(self._follow(node, number)) for node in self._nodes for number in self._numbers[:4]
        ]
        happening = [asyncio.create_task(fault) for fault in faults]
        await asyncio.sleep(seconds)
        for task in happening:
            task.cancel()
        await asyncio.gather(*happening, return_exceptions=True)
        self._writing = False
        await asyncio.gather(*writers)
        await asyncio.sleep(settle_s)
        self._reading = False
        for task in readers:
            task.cancel()
        for ended in await asyncio.gather(*readers, return_exceptions=True):
            if isinstance(ended, Exception):
                raise ended
        await self._http.aclose()

    async def _ask(self, method: str, path: str, headers: dict[str, str], body: Any = None) -> httpx.Response | None:
        """Make one call to a random node; None if there was no response."""
        node = random.choice(self._nodes)
        try:
            answer = await self._http.request(method, f"{node.base}/api/v1{path}", json=body, headers=headers)
        except httpx.TransportError:
            self._ledger.statuses["no answer"] += 1
            return None
        code = "" if answer.is_success else f" {answer.json().get('code')}"
        self._ledger.statuses[f"{answer.status_code}{code}"] += 1
        return answer

    async def _until_done(self, path: str, headers: dict[str, str], body: Any) -> Any:
        """Repeat a write with one Idempotency-Key until it is acknowledged.

        Returns the response.
        """
        while True:
            answer = await self._ask("POST", path, headers, body)
            if answer is not None and answer.is_success:
                return answer.json()
            if answer is not None and answer.status_code not in {503, 500}:
                raise RuntimeError(answer.text)
            await asyncio.sleep(RETRY_PAUSE_S)

    async def _create_orders(self, who: int) -> None:
        n = 0
        while self._writing:
            n += 1
            reference = f"S{who}-{n}"
            order = {"order_ref": reference, "consignee": {**CONSIGNEE, **PLACE}}
            await self._until_done("/client/orderCreate", {**self._office, "Idempotency-Key": reference}, order)
            self._ledger.orders.append(reference)

    async def _post_events(self, who: int) -> None:
        n = 0
        while self._writing:
            n += 1
            number, reference = random.choice(self._numbers), f"E{who}-{n}"
            receipt = await self._until_done("/otep/ingest", self._provider, event_document(number, reference, who, n))
            self._ledger.acknowledge_event(number, receipt["receipts"][0]["event_ids"][0])
            await asyncio.sleep(READ_PAUSE_S)

    async def _read_lists(self) -> None:
        while self._reading:
            known = len(self._ledger.orders)
            answer = await self._ask("GET", "/orders?per_page=1", self._office)
            if answer is not None and answer.is_success:
                self._ledger.lists += 1
                self._ledger.old_lists += answer.json()["total"] < known + len(self._numbers)
            await asyncio.sleep(READ_PAUSE_S)

    async def _read_timelines(self) -> None:
        while self._reading:
            number, asked_at = random.choice(self._numbers), time.monotonic()
            answer = await self._ask("GET", f"/otep/trackings/{number}", {})
            if answer is not None and answer.is_success:
                seen = {event["event_id"] for event in answer.json()["data"]["events"]}
                self._ledger.ages_s.append(self._ledger.age_of(number, seen, asked_at))
            await asyncio.sleep(READ_PAUSE_S)

    async def _follow(self, node: Node, number: str) -> None:
        """Follow a stream, continuing on another node when one dies."""
        stream, last_id = f"{node.name} {number}", ""
        self._ledger.stream_numbers[stream] = number
        seen = self._ledger.streams[stream]
        while self._reading:
            path = f"{node.base}/api/v1/otep/trackings/{number}/stream"
            headers = {"Last-Event-ID": last_id} if last_id else {}
            try:
                async with self._http.stream("GET", path, headers=headers) as answer:
                    async for events, id in batches_of(answer):
                        seen.update(events)
                        last_id = id
            except httpx.TransportError:
                pass
            node = random.choice(self._nodes)
            await asyncio.sleep(RETRY_PAUSE_S)


def event_document(number: str, reference: str, who: int, n: int) -> dict[str, Any]:
    """Return a carrier scan of a parcel; a repeat is the same event."""
    source = {"type": "carrier", "name": "Swift Post", "reference": reference}
    moment = datetime(2026, 6, 1, who, tzinfo=UTC) + timedelta(seconds=n)
    event = {"occurred_at": moment.isoformat(), "status_code": "in_transit", "source": source}
    return {"timelines": [{"subject": {"tracking_number": number}, "events": [event]}]}


async def batches_of(answer: httpx.Response) -> AsyncIterator[tuple[list[str], str]]:
    """Yield the event ids of each batch of a stream, and the id to resume from.

    The id is that of the last message. A truncated batch is sent again as a whole.
    """
    events, id = list[str](), ""
    async for line in answer.aiter_lines():
        if line.startswith("id: "):
            id = line[4:]
        elif line.startswith("data: "):
            events.append(json.loads(line[6:])["event_id"])
        elif not line and id and events:
            yield events, id
            events, id = [], ""

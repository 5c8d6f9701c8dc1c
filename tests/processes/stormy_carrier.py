"""A carrier over real HTTP that drops, delays and repeats its answers.

`python -m tests.processes.stormy_carrier serve …` is `haulier serve …` with that carrier; `$STORMY_CARRIER` is its
address.
"""

import json
import os
import random
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

import haulier.parts.shipping
from haulier.contexts.shipping.ports import (
    AddressCheck,
    BoughtParcel,
    BoughtReference,
    Capability,
    Carrier,
    CarrierEvent,
    CarrierKind,
    CarrierService,
    CarrierUnavailable,
    LabelFormat,
    Manifest,
    OutcomeUnknown,
    Party,
    Pickup,
    PickupRequest,
    Purchase,
    Rate,
    Rates,
    Shipment,
    VoidOutcome,
)
from haulier.kernel.values.money import Money

CAPABILITIES = frozenset({Capability.RATE, Capability.BUY, Capability.RECOVER})
KIND = CarrierKind(code="STORMY", name="Stormy", credentials=(), capabilities=CAPABILITIES)
PRICE = Money(1000, "CAD")
ANSWERED_WITHIN_S = 2.0


class StormyLedger:
    """The carrier's sales by reference, including repeated ones."""

    def __init__(self, seed: int) -> None:
        self.sold: list[tuple[str, str]] = []
        self.calm = False
        self._random = random.Random(seed)
        self._lock = threading.Lock()

    def sell(self, reference: str) -> str:
        """Sell a label without checking for repeats."""
        with self._lock:
            number = f"ST{len(self.sold):08}"
            self.sold.append((reference, number))
            return number

    def find(self, reference: str) -> str | None:
        """Return the number sold under a reference."""
        with self._lock:
            return next((number for named, number in self.sold if named == reference), None)

    def fate(self) -> str:
        """Return how a request is handled; most are answered."""
        with self._lock:
            return "answered" if self.calm else self._random.choices(FATES, WEIGHTS)[0]


FATES = ("answered", "cut before", "cut after", "slow", "malformed", "busy")
WEIGHTS = (60, 8, 14, 4, 7, 7)


def _handler(ledger: StormyLedger) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            fate = ledger.fate()
            if fate == "busy":
                return self._say(503, b"{}")
            if fate == "cut before":
                return self._hang_up()
            found = ledger.sell if self.path == "/buy" else ledger.find
            number = found(asked["reference"])
            if fate == "cut after":
                return self._hang_up()
            if fate == "slow":
                time.sleep(ANSWERED_WITHIN_S * 1.5)
            return self._say(200, b"{" if fate == "malformed" else json.dumps({"number": number}).encode())

        def _hang_up(self) -> None:
            self.close_connection = True

        def _say(self, status: int, body: bytes) -> None:
            try:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

    return Handler


@contextmanager
def make_stormy_carrier(seed: int) -> Generator[tuple[StormyLedger, str]]:
    """Yield the carrier and its address."""
    ledger = StormyLedger(seed)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(ledger))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield ledger, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class StormyConnector:
    """Connector for the carrier."""

    capabilities = CAPABILITIES
    services: Sequence[CarrierService] = (CarrierService("any", "Any"),)

    def __init__(self, address: str) -> None:
        self._http = httpx.AsyncClient(base_url=address, timeout=ANSWERED_WITHIN_S, verify=False)

    async def test_credentials(self) -> None:
        """Accept all credentials."""

    async def rate(self, shipment: Shipment, services: Sequence[str] = ()) -> Rates:
        return Rates((Rate("any", "Any", PRICE),))

    async def buy(self, shipment: Shipment, rate: Rate, label_format: LabelFormat) -> Purchase:
        try:
            answer = await self._http.post("/buy", json={"reference": shipment.reference})
        except httpx.ConnectError as fault:
            raise CarrierUnavailable(repr(fault)) from fault
        except httpx.HTTPError as fault:
            raise OutcomeUnknown(repr(fault)) from fault
        if answer.status_code == 503:
            raise CarrierUnavailable("busy")
        return _purchase(answer.json()["number"])  # raises for a malformed answer

    async def find_purchase(self, shipment: Shipment) -> Purchase | None:
        try:
            answer = await self._http.post("/find", json={"reference": shipment.reference})
            answer.raise_for_status()
            number = answer.json()["number"]
        except (httpx.HTTPError, ValueError) as fault:
            raise CarrierUnavailable(repr(fault)) from fault
        return _purchase(number) if number else None

    async def void(self, bought: BoughtReference) -> VoidOutcome:
        raise NotImplementedError

    async def close_day(self, ship_on: date, place: Party, bought: Sequence[BoughtReference]) -> Manifest:
        raise NotImplementedError

    async def track(self, tracking_number: str) -> Sequence[CarrierEvent]:
        raise NotImplementedError

    async def book_pickup(self, request: PickupRequest) -> Pickup:
        raise NotImplementedError

    async def cancel_pickup(self, confirmation: str) -> None:
        raise NotImplementedError

    async def check_address(self, party: Party) -> AddressCheck:
        raise NotImplementedError


def _purchase(number: str) -> Purchase:
    label = BoughtParcel(number, b"^XA^XZ", LabelFormat.ZPL)
    return Purchase(number, "any", number, (label,), price=PRICE)


def _open(credentials: Mapping[str, str], test_mode: bool) -> Carrier:
    return StormyConnector(os.environ["STORMY_CARRIER"])


if __name__ == "__main__":
    haulier.parts.shipping.remote_carriers = lambda simulator=None, **words: [(KIND, _open)]
    from haulier.cli import main

    main()

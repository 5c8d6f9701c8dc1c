"""The simulated carriers on a port of this machine, and an account at each."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx
import msgspec
import uvicorn
from starlette.types import ASGIApp

from haulier.adapters.carriers import wire
from haulier.adapters.carriers.limited import CALL_LIMIT_S
from haulier.adapters.carriers.remote import remote_carriers
from haulier.adapters.file_reader.pool import FileReaderPool
from haulier.contexts.shipping.ports import Carrier, Parcel, Party, Shipment
from haulier.kernel.values.money import Money
from haulier.simulation.carriers.server import simulated_carriers

PATIENCE_S = 60
READERS = FileReaderPool(1)
SHIP_AT = datetime(2026, 11, 23, 15, 0, tzinfo=UTC)
TORONTO = Party(
    name="Ada Byron", company="Byron Books", street="100 Queen St W", city="Toronto", region="ON", postal_code="M5H 2N2",
    country="CA", phone="+14165550123", email="ada@example.com",
)  # fmt: skip
OTTAWA = Party(
    name="Émile Côté", street="150 Elgin St", street2="Unit 4", city="Ottawa", region="ON", postal_code="K2P 1L4",
    country="CA", phone="+16135550123", residential=True,
)  # fmt: skip
BOSTON = Party(
    name="Grace Hopper", company="Cobol Inc", street="1 Beacon St", city="Boston", region="MA", postal_code="02108",
    country="US", phone="+16175550123", email="grace@example.com",
)  # fmt: skip
ALBANY = Party(
    name="Alan Perlis", street="24 Eagle St", city="Albany", region="NY", postal_code="12207", country="US",
    phone="+15185550123",
)  # fmt: skip
BOX = Parcel(weight_g=1250, length_mm=300, width_mm=200, height_mm=120)


@dataclass(frozen=True, repr=False)
class Account:
    """A carrier account, with wrong credentials and the purchase call for tests."""

    code: str
    credentials: Mapping[str, str]
    wrong: Mapping[str, str]
    shipment: Shipment
    service: str
    mount: str
    buys: tuple[str, str]
    """The method and the path's part of the one call that buys."""
    several: bool = True

    def __repr__(self) -> str:
        return self.code


def _domestic(sender: Party, recipient: Party, currency: str = "USD") -> Shipment:
    box = msgspec.structs.replace(BOX, declared_value=Money(5000, currency))
    return Shipment(
        reference="", sender=sender, recipient=recipient, parcels=(box,), ship_at=SHIP_AT,
        customer_references=("order 1001",),
    )  # fmt: skip


ACCOUNTS = (
    Account(
        "UPS",
        {"client_id": "id", "client_secret": "secret", "account_number": "A1B2C3"},
        {"client_secret": "wrong"},
        _domestic(BOSTON, ALBANY),
        "03",
        "ups",
        ("POST", "/ship"),
    ),
    Account(
        "SHIPENGINE",
        {"api_key": "TEST_key", "carrier_ids": ""},
        {"api_key": "wrong"},
        _domestic(BOSTON, ALBANY),
        "se-100002:fedex_ground",
        "shipengine",
        ("POST", "/v1/labels"),
    ),
    Account(
        "EASYPOST",
        {"api_key": "EZTK1"},
        {"api_key": "wrong"},
        _domestic(BOSTON, ALBANY),
        "USPS:Priority",
        "easypost",
        ("POST", "/buy"),
    ),
    Account(
        "CANADA_POST",
        {
            "username": "u",
            "password": "p",
            "customer_number": "7023210",
            "contract_id": "42708517",
            "email": "a@example.com",
        },
        {"password": "wrong"},
        _domestic(TORONTO, OTTAWA, "CAD"),
        "DOM.EP",
        "canada-post",
        ("POST", "/shipment"),
        several=False,
    ),
)


@dataclass
class Simulator:
    """The running server. Each test gets references of its own, since labels stay."""

    address: str
    http: httpx.Client
    made: int = 0

    def open(self, account: Account, *, limit_s: float = CALL_LIMIT_S, **credentials: str) -> Carrier:
        """The carrier in test mode."""
        carriers = remote_carriers(self.address, limit_s, READERS)
        kinds = {kind.code: open_account for kind, open_account in carriers}
        return kinds[account.code]({**account.credentials, **credentials}, True)

    def shipment(self, account: Account, parcels: int = 1) -> Shipment:
        """A shipment that was never bought."""
        self.made += 1
        return msgspec.structs.replace(
            account.shipment, reference=f"{account.code}-{self.made:05d}", parcels=account.shipment.parcels * parcels
        )

    def fail(self, account: Account, kind: str, method: str = "", path: str = "", **more: Any) -> None:
        """Script a fault of the next call."""
        fault = {"kind": kind, "carrier": account.mount, "method": method, "path": path, **more}
        assert self.http.post("/simulator/faults", json=fault).status_code == 201

    def fail_purchase(self, account: Account, kind: str, **more: Any) -> None:
        """Script a fault of the call that buys."""
        self.fail(account, kind, *account.buys, **more)

    def labels(self, reference: str) -> list[dict[str, Any]]:
        """Return the labels that the carrier would invoice for a reference."""
        return [label for label in self.http.get("/simulator/labels").json() if label["reference"] == reference]

    def advance(self, number: str, steps: int = 1) -> None:
        """Move a parcel on."""
        self.http.post("/simulator/advance", json={"tracking_number": number, "steps": steps})


@contextmanager
def run_simulator(
    token_life_s: float = 600.0, before: Callable[[ASGIApp], ASGIApp] = lambda app: app
) -> Iterator[Simulator]:
    """The server; `before` may stand something in front of it."""
    app = before(simulated_carriers(token_life_s=token_life_s))
    config = uvicorn.Config(app, port=0, log_level="critical", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + PATIENCE_S
    while not server.started and time.monotonic() < until:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    patience, wire.CONNECT_S = wire.CONNECT_S, PATIENCE_S  # a busy machine takes its time to connect to itself
    try:
        with httpx.Client(base_url=address, timeout=PATIENCE_S) as http:
            yield Simulator(address, http)
    finally:
        wire.CONNECT_S = patience
        server.should_exit = True
        thread.join(PATIENCE_S)

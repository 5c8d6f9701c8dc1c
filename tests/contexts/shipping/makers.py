"""Carriers and shipments to try things on."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from tests.support.app import App

from haulier.adapters.carriers.directory import Carriers
from haulier.adapters.carriers.house_label import render_house_label
from haulier.contexts.shipping.ports import (
    AddressCheck,
    BoughtParcel,
    BoughtReference,
    Capability,
    CarrierDirectory,
    CarrierEvent,
    CarrierKind,
    CarrierService,
    CredentialField,
    LabelFormat,
    Manifest,
    Party,
    Pickup,
    PickupRequest,
    Purchase,
    Rate,
    Rates,
    Shipment,
    VoidOutcome,
    VoidState,
)
from haulier.kernel.values.money import Money

SENDER = {
    "name": "Shop",
    "address": "1 Front St",
    "city": "Toronto",
    "region": "ON",
    "postal_code": "M5J 2X2",
    "country": "CA",
}
ADA = {
    "name": "Ada",
    "address": "100 Queen St W",
    "city": "Ottawa",
    "region": "ON",
    "postal_code": "K1A 0A1",
    "country": "CA",
}
SHIPMENT = {"consignee": ADA, "packages": [{"weight_g": 900}]}
PARCELO = CarrierKind(
    code="PARCELO",
    name="Parcelo",
    credentials=(CredentialField("api_key", "API key", required=False),),
    capabilities=frozenset(Capability) - {Capability.PICKUP, Capability.CHECK_ADDRESS},
)


class Parcelo:
    """A scripted carrier with state, as an external service."""

    capabilities = PARCELO.capabilities
    services: Sequence[CarrierService] = (CarrierService("next_day", "Next day"),)

    def __init__(self) -> None:
        self.price = Money(1000, "CAD")
        self.expires_at: datetime | None = None
        self.sold: dict[str, Purchase] = {}
        self.bought_times = 0
        self.asked: list[str] = []
        self.senders: list[str] = []
        self.shipments: list[Shipment] = []
        self.before_label = b""
        self.before_buying: list[Exception] = []
        self.after_buying: list[Exception] = []
        self.rating: Exception | None = None
        self.refuses_credentials: Exception | None = None
        self.void_states: list[VoidState | Exception] = []
        self.scans: list[CarrierEvent] = []
        self.closes: Mapping[str, Any] = {}
        self.not_closed: set[str] = set()

    async def test_credentials(self) -> None:
        if self.refuses_credentials:
            raise self.refuses_credentials

    async def rate(self, shipment: Shipment, services: Sequence[str] = ()) -> Rates:
        self.senders.append(shipment.sender.name)
        if self.rating:
            raise self.rating
        rate = Rate("next_day", "Next day", self.price, transit_days=1, rate_id="r", expires_at=self.expires_at)
        return Rates((rate,))

    async def buy(self, shipment: Shipment, rate: Rate, label_format: LabelFormat) -> Purchase:
        self.asked.append("buy")
        self.shipments.append(shipment)
        if self.before_buying:
            raise self.before_buying.pop(0)
        self.bought_times += 1
        number = f"PC{self.bought_times:06}{shipment.reference[-4:]}"
        zpl = self.before_label + render_house_label(shipment, rate, number, 0)
        label = BoughtParcel(number, zpl, LabelFormat.ZPL)
        bought = Purchase(f"ref-{number}", rate.service, number, (label,), price=self.price)
        self.sold[shipment.reference] = bought
        if self.after_buying:
            raise self.after_buying.pop(0)
        return bought

    async def find_purchase(self, shipment: Shipment) -> Purchase | None:
        self.asked.append("find")
        return self.sold.get(shipment.reference)

    async def void(self, bought: BoughtReference) -> VoidOutcome:
        self.asked.append("void")
        state = self.void_states.pop(0) if self.void_states else VoidState.VOIDED
        if isinstance(state, Exception):
            raise state
        return VoidOutcome(state)

    async def close_day(self, ship_on: date, place: Party, bought: Sequence[BoughtReference]) -> Manifest:
        named = [each.carrier_reference for each in bought]
        return Manifest("M-1", tuple(each for each in named if each not in self.not_closed), {})

    async def track(self, tracking_number: str) -> Sequence[CarrierEvent]:
        return self.scans

    async def book_pickup(self, request: PickupRequest) -> Pickup:
        raise NotImplementedError

    async def cancel_pickup(self, confirmation: str) -> None:
        raise NotImplementedError

    async def check_address(self, party: Party) -> AddressCheck:
        raise NotImplementedError


async def make_platform_account(app: App, who: str = "admin", **changes: Any) -> int:
    """Open an account of the own fleet; return its id."""
    values = {"carrier": "HOUSE", "name": "Our van", "sender": SENDER, **changes}
    return (await app.answer(who, "open_carrier_account", values)).account.id


async def make_parcelo_account(app: App, **changes: Any) -> Parcelo:
    """An account with a carrier that keeps what it sold. Returns the carrier."""
    carrier = Parcelo()
    adapters: Any = app.application.adapters
    adapters[CarrierDirectory] = Carriers(lambda: [(PARCELO, lambda credentials, test_mode: carrier)])
    values = {"carrier": "PARCELO", "name": "Parcelo", "sender": SENDER, **changes}
    await app.answer("admin", "open_carrier_account", values)
    return carrier


async def rates_of(app: App, who: str = "admin", **changes: Any) -> Any:
    """Return the rates of a shipment."""
    return await app.answer(who, "get_shipping_rate", {**SHIPMENT, **changes})


async def buy(app: App, who: str = "admin", **changes: Any) -> Any:
    """A label that is bought at the first rate. Returns the shipment."""
    rated = await rates_of(app, who)
    values = {"rate_id": rated.rates[0].rate_id, **changes}
    return (await app.answer(who, "create_shipping_label", values)).shipment


async def shipment_now(app: App, shipment_id: int, who: str = "admin") -> Any:
    """A shipment as it is now."""
    found = await app.answer(who, "get_shipping_detail", {"shipment_id": shipment_id}, confirmed=True)
    return found.shipment


async def codes_of(app: App, number: str) -> list[str]:
    """Return the public events of a parcel."""
    answer = await app.rest(None, "GET", f"/v1/otep/trackings/{number}/events")
    return [event["status_code"] for event in answer.json()["events"]]

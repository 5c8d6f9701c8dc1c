"""A carrier without a network: bicycle couriers with rates and labels only."""

from collections.abc import Mapping, Sequence
from datetime import date

from haulier.adapters.carriers.connectors import Connector, Line
from haulier.contexts.shipping.ports import (
    AddressCheck,
    BoughtParcel,
    BoughtReference,
    Capability,
    CarrierEvent,
    CarrierKind,
    CarrierMessage,
    CarrierRefused,
    CarrierService,
    Charge,
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
)
from haulier.kernel.values.money import Money

HEAVIEST_G = 15_000
KIND = CarrierKind(
    code="PEDAL",
    name="Pedal couriers",
    credentials=(CredentialField("depot", "Depot", secret=False),),
    capabilities=frozenset({Capability.RATE, Capability.BUY}),
    services=(CarrierService("SAME_DAY", "Same day"),),
)


class Pedal:
    """A carrier account at a depot."""

    capabilities = KIND.capabilities
    services: Sequence[CarrierService] = KIND.services

    def __init__(self, credentials: Mapping[str, str], test_mode: bool, line: Line) -> None:
        self._depot = credentials["depot"]

    async def test_credentials(self) -> None:
        """Accept every depot."""

    async def rate(self, shipment: Shipment, services: Sequence[str] = ()) -> Rates:
        """Return a rate of five euros if a courier can carry the shipment."""
        weight = sum(parcel.weight_g for parcel in shipment.parcels)
        if weight > HEAVIEST_G:
            return Rates((), (CarrierMessage("Too heavy for a bicycle.", "too_heavy", field="parcels"),))
        price = Money(500, "EUR")
        return Rates((Rate("SAME_DAY", "Same day", price, (Charge("base", "Ride", price),), transit_days=0),))

    async def buy(self, shipment: Shipment, rate: Rate, label_format: LabelFormat) -> Purchase:
        """Buy a ride; a reference always returns the same ride."""
        if rate.service != "SAME_DAY":
            raise CarrierRefused((CarrierMessage("There is no such service."),))
        number = f"PEDAL-{self._depot}-{shipment.reference}"
        label = f"^XA^FO40,40^BY3^BCN,200,Y,N,N^FD{number}^FS^XZ".encode()
        parcels = tuple(BoughtParcel(number, label, LabelFormat.ZPL) for _ in shipment.parcels)
        return Purchase(number, "SAME_DAY", number, parcels, rate.price)

    async def find_purchase(self, shipment: Shipment) -> Purchase | None:
        """Not supported."""
        raise NotImplementedError

    async def void(self, bought: BoughtReference) -> VoidOutcome:
        """Not supported."""
        raise NotImplementedError

    async def close_day(self, ship_on: date, place: Party, bought: Sequence[BoughtReference]) -> Manifest:
        """Not supported."""
        raise NotImplementedError

    async def track(self, tracking_number: str) -> Sequence[CarrierEvent]:
        """Not supported."""
        raise NotImplementedError

    async def book_pickup(self, request: PickupRequest) -> Pickup:
        """Not supported."""
        raise NotImplementedError

    async def cancel_pickup(self, confirmation: str) -> None:
        """Not supported."""
        raise NotImplementedError

    async def check_address(self, party: Party) -> AddressCheck:
        """Not supported."""
        raise NotImplementedError


CONNECTOR = Connector(KIND, Pedal)

"""House carrier: the client's own carrier, priced by the client's tariff.

It numbers and prints its labels without network calls. Numbers are derived from the shipment's reference, so that a
repeated purchase gives the same label.
"""

import asyncio
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from haulier.adapters.carriers.house_label import render_house_label
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
    LabelFormat,
    Manifest,
    Party,
    Pickup,
    PickupRequest,
    Purchase,
    Rate,
    Rates,
    Severity,
    Shipment,
    UnreadScan,
    VoidOutcome,
    VoidState,
)
from haulier.contexts.shipping.public import (
    CURRENCY,
    HOUSE,
    START_TARIFF,
    TARIFF,
    CarrierTariff,
    make_own_message,
    rate_shipment,
)
from haulier.kernel.values.ids import CROCKFORD_ALPHABET, check_character
from haulier.rendering.typesetting import unprintable_characters

NUMBER_PREFIX = "HC"
_BODY_BITS = 80
CAPABILITIES = frozenset({Capability.RATE, Capability.BUY, Capability.RECOVER, Capability.VOID, Capability.MANIFEST})
HOUSE_KIND = CarrierKind(code=HOUSE, name="House carrier", credentials=(), capabilities=CAPABILITIES)


class HouseCarrier:
    """Carrier that a tariff describes."""

    capabilities = CAPABILITIES

    def __init__(self, credentials: Mapping[str, str]) -> None:
        document = credentials.get(TARIFF)
        self._tariff = CarrierTariff.model_validate_json(document) if document else START_TARIFF
        self._currency = self._tariff.currency or credentials[CURRENCY]

    @property
    def services(self) -> Sequence[CarrierService]:
        """Return the services of the tariff."""
        return tuple(CarrierService(each.code, each.name, True, True) for each in self._tariff.services)

    async def test_credentials(self) -> None:
        """Accept any credentials."""

    async def rate(self, shipment: Shipment, services: Sequence[str] = ()) -> Rates:
        """Return the rates of the tariff."""
        rates = rate_shipment(self._tariff, shipment, self._currency, services)
        return Rates(rates.rates, (*rates.messages, *_print_warnings(shipment)))

    async def buy(self, shipment: Shipment, rate: Rate, label_format: LabelFormat) -> Purchase:
        """Number and print the labels.

        Raises `CarrierRefused` for a shipment that the tariff does not accept.
        """
        rates = rate_shipment(self._tariff, shipment, self._currency, (rate.service,))
        if not rates.rates:
            raise CarrierRefused(rates.messages)
        count = len(shipment.parcels)
        numbers = [house_number(shipment.reference, place) for place in range(count)]
        # In a thread, because a shipment has up to 50 parcels and drawing one takes ten milliseconds.
        parcels = await asyncio.to_thread(
            lambda: tuple(
                BoughtParcel(number, render_house_label(shipment, rate, number, place, label_format), label_format)
                for place, number in enumerate(numbers)
            )
        )
        return Purchase(
            carrier_reference=shipment.reference,
            service=rate.service,
            tracking_number=numbers[0],
            parcels=parcels,
            price=rate.price,
            messages=tuple(_print_warnings(shipment)),
        )

    async def find_purchase(self, shipment: Shipment) -> Purchase | None:
        """Return None: an unanswered purchase can be repeated with the same result."""
        return None

    async def void(self, bought: BoughtReference) -> VoidOutcome:
        """Void a label, which is always possible here."""
        return VoidOutcome(VoidState.VOIDED)

    async def close_day(self, ship_on: date, place: Party, bought: Sequence[BoughtReference]) -> Manifest:
        """Close all shipments. The client decides when the day ends."""
        return Manifest(None, tuple(each.carrier_reference for each in bought), {})

    async def track(self, tracking_number: str) -> Sequence[CarrierEvent | UnreadScan]:
        """Raise `NotImplementedError`: parcels are tracked by scans of the client's staff."""
        raise NotImplementedError

    async def book_pickup(self, request: PickupRequest) -> Pickup:
        """Raise `NotImplementedError`: a house carrier has no pickups to book."""
        raise NotImplementedError

    async def cancel_pickup(self, confirmation: str) -> None:
        """Raise `NotImplementedError`: a house carrier has no pickups to cancel."""
        raise NotImplementedError

    async def check_address(self, party: Party) -> AddressCheck:
        """Raise `NotImplementedError`: a house carrier cannot check addresses."""
        raise NotImplementedError


def _print_warnings(shipment: Shipment) -> Iterator[CarrierMessage]:
    """Yield warnings about characters of the parties that a label cannot show."""
    for field, party in (("sender", shipment.sender), ("recipient", shipment.recipient)):
        lines = (party.name, party.company, party.street, party.street2, party.city, party.region, party.postal_code)
        if characters := unprintable_characters("".join(lines)):
            yield make_own_message(
                "carrier.not_printable", "NOT_PRINTABLE", Severity.WARNING, field, characters=characters
            )


def house_number(reference: str, place: int) -> str:
    """Return the tracking number of a parcel.

    It consists of 80 bits of a digest and a check character.
    """
    digest = hashlib.sha256(f"{reference}#{place}".encode()).digest()
    bits = int.from_bytes(digest[: _BODY_BITS // 8])
    body = "".join(CROCKFORD_ALPHABET[bits >> shift & 31] for shift in range(_BODY_BITS - 5, -1, -5))
    return f"{NUMBER_PREFIX}{body}{check_character(body)}"

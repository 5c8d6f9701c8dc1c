"""Time limit for the calls of a carrier."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import date

from haulier.contexts.shipping.ports import (
    AddressCheck,
    BoughtReference,
    Capability,
    Carrier,
    CarrierEvent,
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
    UnreadScan,
    VoidOutcome,
)

CALL_LIMIT_S = 45.0


class LimitedCarrier:
    """Wrapper that ends each call of a carrier within `limit_s`.

    Raises the port's errors for calls without a response.
    """

    def __init__(self, carrier: Carrier, limit_s: float = CALL_LIMIT_S) -> None:
        self._carrier, self._limit_s = carrier, limit_s

    @property
    def capabilities(self) -> frozenset[Capability]:
        """Return the capabilities of the wrapped carrier."""
        return self._carrier.capabilities

    @property
    def services(self) -> Sequence[CarrierService]:
        """Return the services of the wrapped carrier."""
        return self._carrier.services

    async def test_credentials(self) -> None:
        """See `Carrier`."""
        async with self._reading():
            await self._carrier.test_credentials()

    async def rate(self, shipment: Shipment, services: Sequence[str] = ()) -> Rates:
        """See `Carrier`."""
        async with self._reading():
            return await self._carrier.rate(shipment, services)

    async def buy(self, shipment: Shipment, rate: Rate, label_format: LabelFormat) -> Purchase:
        """See `Carrier`."""
        async with self._changing():
            return await self._carrier.buy(shipment, rate, label_format)

    async def find_purchase(self, shipment: Shipment) -> Purchase | None:
        """See `Carrier`."""
        async with self._reading():
            return await self._carrier.find_purchase(shipment)

    async def void(self, bought: BoughtReference) -> VoidOutcome:
        """See `Carrier`."""
        async with self._changing():
            return await self._carrier.void(bought)

    async def close_day(self, ship_on: date, place: Party, bought: Sequence[BoughtReference]) -> Manifest:
        """See `Carrier`."""
        async with self._changing():
            return await self._carrier.close_day(ship_on, place, bought)

    async def track(self, tracking_number: str) -> Sequence[CarrierEvent | UnreadScan]:
        """See `Carrier`."""
        async with self._reading():
            return await self._carrier.track(tracking_number)

    async def book_pickup(self, request: PickupRequest) -> Pickup:
        """See `Carrier`."""
        async with self._changing():
            return await self._carrier.book_pickup(request)

    async def cancel_pickup(self, confirmation: str) -> None:
        """See `Carrier`."""
        async with self._changing():
            await self._carrier.cancel_pickup(confirmation)

    async def check_address(self, party: Party) -> AddressCheck:
        """See `Carrier`."""
        async with self._reading():
            return await self._carrier.check_address(party)

    @asynccontextmanager
    async def _reading(self) -> AsyncGenerator[None]:
        try:
            async with asyncio.timeout(self._limit_s):
                yield
        except TimeoutError as fault:
            raise CarrierUnavailable(f"no answer within {self._limit_s:g} s") from fault

    @asynccontextmanager
    async def _changing(self) -> AsyncGenerator[None]:
        try:
            async with asyncio.timeout(self._limit_s):
                yield
        except TimeoutError as fault:
            raise OutcomeUnknown(f"no answer within {self._limit_s:g} s") from fault

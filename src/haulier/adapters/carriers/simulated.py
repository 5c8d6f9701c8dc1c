"""Simulated carriers of test businesses, without network calls."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date

from haulier.adapters.carriers.house import HouseCarrier
from haulier.contexts.shipping.ports import (
    AddressCheck,
    AddressVerdict,
    BoughtReference,
    Carrier,
    CarrierDirectory,
    CarrierEvent,
    CarrierKind,
    CarrierService,
    Manifest,
    Party,
    Pickup,
    PickupRequest,
    UnreadScan,
)
from haulier.contexts.shipping.public import CURRENCY, HOUSE, START_TARIFF

CURRENCY_SHOWN = "USD"
"""Currency of simulated prices, which do not depend on the account."""
MAX_SERVICES = 30


class SimulatedCarriers:
    """Carriers of this installation, simulated.

    Only the client's own carrier is real, because it makes no network calls.
    """

    def __init__(self, real: CarrierDirectory) -> None:
        self._real = real

    @property
    def kinds(self) -> Sequence[CarrierKind]:
        """Return all kinds of carriers, as for live businesses."""
        return self._real.kinds

    def open(self, code: str, credentials: Mapping[str, str], *, test_mode: bool) -> Carrier:
        """Open an account. Raises `KeyError` for an unknown code."""
        if code == HOUSE:
            return self._real.open(code, credentials, test_mode=test_mode)
        return SimulatedCarrier({kind.code: kind for kind in self.kinds}[code])


class SimulatedCarrier(HouseCarrier):
    """Carrier with the services of a real one, priced by a fixed tariff.

    Any credentials are accepted. Parcels move with `advance_test_record`.
    """

    def __init__(self, kind: CarrierKind) -> None:
        offered = kind.services[:MAX_SERVICES]
        first = START_TARIFF.services[0]
        services = [
            first.model_copy(update={"code": each.code, "name": each.name, "percent": 100 + 10 * place})
            for place, each in enumerate(offered)
        ] or START_TARIFF.services
        tariff = START_TARIFF.model_copy(update={"services": services, "currency": CURRENCY_SHOWN})
        super().__init__({CURRENCY: CURRENCY_SHOWN})
        self._tariff, self._currency = tariff, CURRENCY_SHOWN
        self._kind, self.capabilities = kind, kind.capabilities

    @property
    def services(self) -> Sequence[CarrierService]:
        """Return the services of the real carrier."""
        return self._kind.services

    async def close_day(self, ship_on: date, place: Party, bought: Sequence[BoughtReference]) -> Manifest:
        """Close all shipments under one number."""
        closed = tuple(each.carrier_reference for each in bought)
        return Manifest(f"TEST-{ship_on:%Y%m%d}-{_digest(*closed)}", closed, {})

    async def track(self, tracking_number: str) -> Sequence[CarrierEvent | UnreadScan]:
        """Return nothing: parcels are advanced, which records their events directly."""
        return ()

    async def book_pickup(self, request: PickupRequest) -> Pickup:
        """Book a pickup."""
        return Pickup(f"TEST-{_digest(request.reference)}")

    async def cancel_pickup(self, confirmation: str) -> None:
        """Cancel a pickup."""

    async def check_address(self, party: Party) -> AddressCheck:
        """Accept an address as it is."""
        return AddressCheck(AddressVerdict.VALID)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:10].upper()

"""UPS client for one account."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec

from haulier.adapters.carriers.connectors import Connector, Line, read_services
from haulier.adapters.carriers.tokens import AccessToken
from haulier.adapters.carriers.ups import answers, requests
from haulier.adapters.carriers.ups.wire_forms import UpsToken
from haulier.adapters.carriers.wire import (
    Ask,
    CallEffect,
    FixedHeaders,
    NotFound,
    Wire,
    basic_authorization,
    path_part,
    skip_check,
)
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
    CredentialField,
    CredentialsRefused,
    LabelFormat,
    Manifest,
    Party,
    Pickup,
    PickupRequest,
    Purchase,
    Rate,
    Rates,
    Shipment,
    UnreadScan,
    VoidOutcome,
    VoidState,
)

if TYPE_CHECKING:
    import httpx

RATING, SHIPPING, RECOVERY, PICKUP, ADDRESSES = "v2409", "v2409", "v1", "v2409", "v2"
ALREADY_VOID = frozenset({"190117"})
_NOTHING_FOUND = re.compile(r"\b(no|not)\b.*\b(found|exist)|\bvoided\b", re.IGNORECASE)
"""Messages of label recovery for a reference without a label.

Matched by words because the contract lists no codes. After any other refusal the outcome stays unknown, so that nothing
is bought twice.
"""

_CANCELLED = re.compile(r"\balready\b.*\bcancel", re.IGNORECASE)

SERVICES = read_services(Path(__file__).with_name("services.toml"))
KIND = CarrierKind(
    code="UPS",
    name="UPS",
    credentials=(
        CredentialField("client_id", "Client ID", secret=False),
        CredentialField("client_secret", "Client secret"),
        CredentialField("account_number", "Shipper number (6 characters)", secret=False),
    ),
    capabilities=frozenset(Capability) - {Capability.MANIFEST},
    services=SERVICES,
)


class UpsTokens:
    """Access tokens of an account, by its client ID and secret."""

    def __init__(self, line: Line, address: str, credentials: Mapping[str, str]) -> None:
        user, secret, account = (credentials[name] for name in ("client_id", "client_secret", "account_number"))
        basic = FixedHeaders({**basic_authorization(user, secret), "x-merchant-id": account})
        self._wire = Wire(line.clients, address, basic, _refusal, "UPS")
        self._cache = line.tokens
        self._key = hashlib.sha256("\0".join((address, user, secret)).encode()).hexdigest()
        self._last = ""

    async def headers(self) -> Mapping[str, str]:
        """Return the headers with a valid token."""
        self._last = await self._cache.token(self._key, self._fetch)
        return {
            "Authorization": f"Bearer {self._last}",
            "transId": uuid4().hex,
            "transactionSrc": "haulier",
        }

    def refused(self) -> bool:
        """Drop the token, which may have been revoked early, and allow one retry."""
        self._cache.forget(self._key, self._last)
        return True

    async def _fetch(self) -> AccessToken:
        return await self._wire.ask(
            Ask("POST", "/security/v1/oauth/token", form={"grant_type": "client_credentials"}), _token
        )


def _token(answer: "httpx.Response") -> AccessToken:
    token = msgspec.json.decode(answer.content, type=UpsToken)
    return AccessToken(token.access_token, float(token.expires_in))


def _refusal(answer: "httpx.Response") -> list[CarrierMessage]:
    return answers.read_refusal(answer.content)


class Ups:
    """Account at UPS.

    UPS has no manifests: a shipment is handed over at pickup unless it is void.
    """

    capabilities = KIND.capabilities
    services: Sequence[CarrierService] = SERVICES

    def __init__(self, credentials: Mapping[str, str], test_mode: bool, line: Line) -> None:
        address = line.address(test_mode, "https://onlinetools.ups.com", "https://wwwcie.ups.com", "/ups")
        self._account = credentials["account_number"]
        self._pictures = line.pictures
        self._wire = Wire(line.clients, address, UpsTokens(line, address, credentials), _refusal, "UPS")

    async def test_credentials(self) -> None:
        """Test the credentials by tracking a number that does not exist.

        The call needs a token, costs nothing and returns no scans.
        """
        await self.track("1Z0000000000000000")

    async def rate(self, shipment: Shipment, services: Sequence[str] = ()) -> Rates:
        """Request the rates of all services in one call."""
        ask = Ask(
            "POST",
            f"/api/rating/{RATING}/Shoptimeintransit",
            json=requests.rate_request(shipment, self._account),
        )
        return await self._wire.ask(ask, lambda answer: answers.read_rates(answer.content, services))

    async def buy(self, shipment: Shipment, rate: Rate, label_format: LabelFormat) -> Purchase:
        """Buy a shipment. Labels are ZPL if pictures cannot be converted."""
        form = label_format if self._pictures else LabelFormat.ZPL
        body = requests.ship_request(shipment, self._account, rate.service, form)
        ask = Ask("POST", f"/api/shipments/{SHIPPING}/ship", json=body, effect=CallEffect.CHANGES)
        bought = await self._wire.ask(ask, lambda answer: answers.read_purchase(answer.content, rate.service))
        return msgspec.structs.replace(
            bought, parcels=tuple([await self._drawn(each, form) for each in bought.parcels])
        )

    async def _drawn(self, parcel: BoughtParcel, form: LabelFormat) -> BoughtParcel:
        """Convert a label that came as a picture.

        If that fails, the purchase is recovered later by its reference, as ZPL.
        """
        if self._pictures is None or not parcel.label.startswith(b"GIF8"):
            return parcel
        return BoughtParcel(parcel.tracking_number, await self._pictures.draw(parcel.label, form), form)

    async def find_purchase(self, shipment: Shipment) -> Purchase | None:
        """Find a purchase by label recovery.

        UPS stores labels for a month, and reports neither service nor price.
        """
        body = requests.recovery_request(shipment.reference, self._account, LabelFormat.ZPL)
        try:
            return await self._wire.ask(
                Ask("POST", f"/api/labels/{RECOVERY}/recovery", json=body),
                lambda answer: answers.read_recovery(answer.content, ""),
            )
        except CredentialsRefused:
            raise
        except CarrierRefused as refused:
            if any(_NOTHING_FOUND.search(message.text) for message in refused.messages):
                return None
            raise

    async def void(self, bought: BoughtReference) -> VoidOutcome:
        """Void the whole shipment."""
        path = f"/api/shipments/{SHIPPING}/void/cancel/{path_part(bought.carrier_reference)}"
        try:
            await self._wire.ask(Ask("DELETE", path, effect=CallEffect.CHANGES), skip_check)
        except CredentialsRefused:
            raise
        except CarrierRefused as refused:
            if ALREADY_VOID & {message.code for message in refused.messages}:
                return VoidOutcome(VoidState.VOIDED, refused.messages)
            return VoidOutcome(VoidState.REFUSED, refused.messages)
        return VoidOutcome(VoidState.VOIDED)

    async def close_day(self, ship_on: date, place: Party, bought: Sequence[BoughtReference]) -> Manifest:
        """Raise `NotImplementedError`: UPS has no manifests."""
        raise NotImplementedError("UPS closes no day")

    async def track(self, tracking_number: str) -> Sequence[CarrierEvent | UnreadScan]:
        """Return the scans of a package."""
        ask = Ask("GET", f"/api/track/v1/details/{path_part(tracking_number)}", params={"locale": "en_US"})
        try:
            return await self._wire.ask(ask, lambda answer: answers.read_events(answer.content))
        except NotFound:
            return []

    async def book_pickup(self, request: PickupRequest) -> Pickup:
        """Book an on-call pickup."""
        body = requests.pickup_request(request, self._account, request.place.country)
        ask = Ask("POST", f"/api/pickupcreation/{PICKUP}/pickup", json=body, effect=CallEffect.CHANGES)
        return await self._wire.ask(ask, lambda answer: answers.read_pickup(answer.content))

    async def cancel_pickup(self, confirmation: str) -> None:
        """Cancel a pickup by its request number. An already cancelled one is accepted."""
        path = f"/api/shipments/{PICKUP}/pickup/02"
        try:
            await self._wire.ask(
                Ask("DELETE", path, headers={"Prn": confirmation}, effect=CallEffect.CHANGES), skip_check
            )
        except CarrierRefused as refused:
            if not any(_CANCELLED.search(message.text) for message in refused.messages):
                raise

    async def check_address(self, party: Party) -> AddressCheck:
        """Check a street address in the United States or Puerto Rico.

        Addresses in other countries are reported as unknown.
        """
        ask = Ask("POST", f"/api/addressvalidation/{ADDRESSES}/3", json=requests.address_request(party))
        return await self._wire.ask(ask, lambda answer: answers.read_address(answer.content, party))


CONNECTOR = Connector(KIND, Ups)

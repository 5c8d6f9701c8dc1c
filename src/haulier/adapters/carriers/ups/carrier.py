"""UPS under an account: what is asked, and where."""

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
    nothing,
    path_part,
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
"""Why words: the contract lists no codes of label recovery. What is refused otherwise stays unknown: nobody buys it again."""

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
    """Tokens of an account, by its client id and secret."""

    def __init__(self, line: Line, address: str, credentials: Mapping[str, str]) -> None:
        user, secret, account = (credentials[name] for name in ("client_id", "client_secret", "account_number"))
        basic = FixedHeaders({**basic_authorization(user, secret), "x-merchant-id": account})
        self._wire = Wire(line.clients, address, basic, _refusal, "UPS")
        self._cache = line.tokens
        self._key = hashlib.sha256("\0".join((address, user, secret)).encode()).hexdigest()
        self._last = ""

    async def headers(self) -> Mapping[str, str]:
        """A token that is still good."""
        self._last = await self._cache.token(self._key, self._fetch)
        return {
            "Authorization": f"Bearer {self._last}",
            "transId": uuid4().hex,
            "transactionSrc": "haulier",
        }

    def refused(self) -> bool:
        """A token may have been withdrawn before its time: one more try with a new one."""
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
    """An account at UPS. It has no manifest of its own: what is not void is handed over when it is picked up."""

    capabilities = KIND.capabilities
    services: Sequence[CarrierService] = SERVICES

    def __init__(self, credentials: Mapping[str, str], test_mode: bool, line: Line) -> None:
        address = line.address(test_mode, "https://onlinetools.ups.com", "https://wwwcie.ups.com", "/ups")
        self._account = credentials["account_number"]
        self._pictures = line.pictures
        self._wire = Wire(line.clients, address, UpsTokens(line, address, credentials), _refusal, "UPS")

    async def test_credentials(self) -> None:
        """A tracking of a number that nobody has: it needs a token, costs nothing and finds nothing."""
        await self.track("1Z0000000000000000")

    async def rate(self, shipment: Shipment, services: Sequence[str] = ()) -> Rates:
        """All services at once."""
        ask = Ask(
            "POST",
            f"/api/rating/{RATING}/Shoptimeintransit",
            json=requests.rate_request(shipment, self._account),
        )
        return await self._wire.ask(ask, lambda answer: answers.read_rates(answer.content, services))

    async def buy(self, shipment: Shipment, rate: Rate, label_format: LabelFormat) -> Purchase:
        """One shipment. Where pictures cannot be drawn, its labels are ZPL."""
        form = label_format if self._pictures else LabelFormat.ZPL
        body = requests.ship_request(shipment, self._account, rate.service, form)
        ask = Ask("POST", f"/api/shipments/{SHIPPING}/ship", json=body, effect=CallEffect.CHANGES)
        bought = await self._wire.ask(ask, lambda answer: answers.read_purchase(answer.content, rate.service))
        return msgspec.structs.replace(
            bought, parcels=tuple([await self._drawn(each, form) for each in bought.parcels])
        )

    async def _drawn(self, parcel: BoughtParcel, form: LabelFormat) -> BoughtParcel:
        """Draw a label that came as a picture. One that cannot be drawn is found later, by its reference, as ZPL."""
        if self._pictures is None or not parcel.label.startswith(b"GIF8"):
            return parcel
        return BoughtParcel(parcel.tracking_number, await self._pictures.draw(parcel.label, form), form)

    async def find_purchase(self, shipment: Shipment) -> Purchase | None:
        """By label recovery. UPS keeps labels for a month and tells neither service nor price."""
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
        """The whole shipment."""
        path = f"/api/shipments/{SHIPPING}/void/cancel/{path_part(bought.carrier_reference)}"
        try:
            await self._wire.ask(Ask("DELETE", path, effect=CallEffect.CHANGES), nothing)
        except CredentialsRefused:
            raise
        except CarrierRefused as refused:
            if ALREADY_VOID & {message.code for message in refused.messages}:
                return VoidOutcome(VoidState.VOIDED, refused.messages)
            return VoidOutcome(VoidState.REFUSED, refused.messages)
        return VoidOutcome(VoidState.VOIDED)

    async def close_day(self, ship_on: date, place: Party, bought: Sequence[BoughtReference]) -> Manifest:
        """UPS has none."""
        raise NotImplementedError("UPS closes no day")

    async def track(self, tracking_number: str) -> Sequence[CarrierEvent | UnreadScan]:
        """Scans of a package."""
        ask = Ask("GET", f"/api/track/v1/details/{path_part(tracking_number)}", params={"locale": "en_US"})
        try:
            return await self._wire.ask(ask, lambda answer: answers.read_events(answer.content))
        except NotFound:
            return []

    async def book_pickup(self, request: PickupRequest) -> Pickup:
        """A pickup on call."""
        body = requests.pickup_request(request, self._account, request.place.country)
        ask = Ask("POST", f"/api/pickupcreation/{PICKUP}/pickup", json=body, effect=CallEffect.CHANGES)
        return await self._wire.ask(ask, lambda answer: answers.read_pickup(answer.content))

    async def cancel_pickup(self, confirmation: str) -> None:
        """By the number of the request."""
        path = f"/api/shipments/{PICKUP}/pickup/02"
        try:
            await self._wire.ask(Ask("DELETE", path, headers={"Prn": confirmation}, effect=CallEffect.CHANGES), nothing)
        except CarrierRefused as refused:
            if not any(_CANCELLED.search(message.text) for message in refused.messages):
                raise

    async def check_address(self, party: Party) -> AddressCheck:
        """Streets of the United States and Puerto Rico; others are unknown to it."""
        ask = Ask("POST", f"/api/addressvalidation/{ADDRESSES}/3", json=requests.address_request(party))
        return await self._wire.ask(ask, lambda answer: answers.read_address(answer.content, party))


CONNECTOR = Connector(KIND, Ups)

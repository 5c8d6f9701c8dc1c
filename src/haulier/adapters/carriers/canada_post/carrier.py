"""Canada Post client for one account."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from haulier.adapters.carriers.canada_post import answers, requests
from haulier.adapters.carriers.connectors import Connector, Line, read_services
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
    CarrierUnavailable,
    CredentialField,
    CredentialsRefused,
    LabelFormat,
    Manifest,
    OutcomeUnknown,
    Paper,
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
from haulier.contexts.shipping.public import make_own_message

if TYPE_CHECKING:
    import httpx

LIVE, SANDBOX = "https://soa-gw.canadapost.ca", "https://ct.soa-gw.canadapost.ca"
RATES = "application/vnd.cpc.ship.rate-v4+xml"
SHIPMENTS = "application/vnd.cpc.shipment-v8+xml"
MANIFESTS = "application/vnd.cpc.manifest-v8+xml"
TRACKING = "application/vnd.cpc.track-v2+xml"
PICKUPS = "application/vnd.cpc.pickuprequest+xml"
CUSTOMER = "application/vnd.cpc.customer+xml"
NO_HISTORY = "004"
TRANSMITTED = "transmitted"

SERVICES = read_services(Path(__file__).with_name("services.toml"))
KIND = CarrierKind(
    code="CANADA_POST",
    name="Canada Post",
    credentials=(
        CredentialField("username", "API key: user", secret=False),
        CredentialField("password", "API key: password"),
        CredentialField("customer_number", "Customer number", secret=False),
        CredentialField("contract_id", "Contract", secret=False, required=False),
        CredentialField("email", "Address for answers about refunds", secret=False, required=False),
    ),
    capabilities=frozenset(Capability) - {Capability.CHECK_ADDRESS},
    services=SERVICES,
)


def _refusal(answer: "httpx.Response") -> list[CarrierMessage]:
    return answers.read_refusal(answer.content)


class CanadaPost:
    """Account at Canada Post, with one parcel in each shipment.

    A purchase stays in its day's group until the manifest is transmitted.
    """

    capabilities = KIND.capabilities
    services: Sequence[CarrierService] = SERVICES

    def __init__(self, credentials: Mapping[str, str], test_mode: bool, line: Line) -> None:
        key = basic_authorization(credentials["username"], credentials["password"])
        address = line.address(test_mode, LIVE, SANDBOX, "/canada-post")
        self._wire = Wire(
            line.clients, address, FixedHeaders({**key, "Accept-Language": "en-CA"}), _refusal, "Canada Post"
        )
        self._customer = path_part(credentials["customer_number"])
        self._contract, self._email = credentials.get("contract_id", ""), credentials.get("email", "")
        self._root = f"/rs/{self._customer}/{self._customer}"

    async def test_credentials(self) -> None:
        """Test the credentials by requesting the customer."""
        await self._wire.ask(Ask("GET", f"/rs/customer/{self._customer}", headers={"Accept": CUSTOMER}), skip_check)

    async def rate(self, shipment: Shipment, services: Sequence[str] = ()) -> Rates:
        """Request the rates of all services in one call."""
        body = requests.rate_request(shipment, self._customer, self._contract, list(services))
        ask = Ask("POST", "/rs/ship/price", content=body, headers=_speaks(RATES))
        return await self._wire.ask(ask, lambda answer: answers.read_rates(answer.content))

    async def buy(self, shipment: Shipment, rate: Rate, label_format: LabelFormat) -> Purchase:
        """Create a shipment under its reference, and download its label."""
        body = requests.shipment_request(shipment, self._customer, self._contract, rate.service, label_format)
        ask = Ask("POST", f"{self._root}/shipment", content=body, headers=_speaks(SHIPMENTS), effect=CallEffect.CHANGES)
        bought = await self._wire.ask(ask, lambda answer: answers.read_shipment(answer.content))
        return await self._purchase(bought, rate.service, CallEffect.CHANGES)

    async def find_purchase(self, shipment: Shipment) -> Purchase | None:
        """Find a purchase by its reference, which Canada Post calls a request ID."""
        ask = Ask(
            "GET", f"{self._root}/shipment", params={"requestId": shipment.reference}, headers={"Accept": SHIPMENTS}
        )
        try:
            found = await self._wire.ask(ask, lambda answer: answers.read_shipments(answer.content))
            if not found:
                return None
            bought = await self._shipment(answers.last_part(found[0]))
        except NotFound:
            return None
        return await self._purchase(bought, bought.service, CallEffect.READS)

    async def void(self, bought: BoughtReference) -> VoidOutcome:
        """Void a shipment.

        If it is already on a manifest, request a refund. A shipment unknown to Canada Post counts as void.
        """
        path = f"{self._root}/shipment/{path_part(bought.carrier_reference)}"
        try:
            await self._wire.ask(
                Ask("DELETE", path, headers={"Accept": SHIPMENTS}, effect=CallEffect.CHANGES), skip_check
            )
        except NotFound:
            return VoidOutcome(VoidState.VOIDED)
        except CredentialsRefused:
            raise
        except CarrierRefused:
            return await self._refund(path)
        return VoidOutcome(VoidState.VOIDED)

    async def close_day(self, ship_on: date, place: Party, bought: Sequence[BoughtReference]) -> Manifest:
        """Transmit the day's group, excluding shipments that are not in `bought`.

        Shipments that are already on a manifest count as closed.
        """
        asked = {each.carrier_reference for each in bought}
        waiting = await self._group(ship_on)
        number, paper, messages = None, None, dict[str, CarrierMessage]()
        closed = {reference for reference in asked - waiting if await self._is_transmitted(reference)}
        if rest := asked & waiting:
            try:
                number, paper = await self._transmit(ship_on, place, sorted(waiting - asked))
                closed |= rest
            except CredentialsRefused:
                raise
            except CarrierRefused as refused:
                messages = dict.fromkeys(sorted(rest), refused.messages[0])
        absent = make_own_message("carrier.not_in_group", "not_closed")
        return Manifest(
            manifest_id=number,
            closed=tuple(each.carrier_reference for each in bought if each.carrier_reference in closed),
            messages={**dict.fromkeys(sorted(asked - closed), absent), **messages},
            paper=paper,
        )

    async def track(self, tracking_number: str) -> Sequence[CarrierEvent | UnreadScan]:
        """Return the scans of a parcel."""
        path = f"/vis/track/pin/{path_part(tracking_number)}/detail"
        try:
            return await self._wire.ask(
                Ask("GET", path, headers={"Accept": TRACKING}), lambda answer: answers.read_events(answer.content)
            )
        except NotFound:
            return []
        except CarrierRefused as refused:
            if NO_HISTORY in {message.code for message in refused.messages}:
                return []
            raise

    async def book_pickup(self, request: PickupRequest) -> Pickup:
        """Book an on-demand pickup."""
        body = requests.pickup_request(request, self._contract)
        path = f"/enab/{self._customer}/pickuprequest"
        ask = Ask("POST", path, content=body, headers=_speaks(PICKUPS), effect=CallEffect.CHANGES)
        return await self._wire.ask(ask, lambda answer: answers.read_pickup(answer.content))

    async def cancel_pickup(self, confirmation: str) -> None:
        """Cancel a pickup. A missing one counts as cancelled."""
        path = f"/enab/{self._customer}/pickuprequest/{path_part(confirmation)}"
        try:
            await self._wire.ask(
                Ask("DELETE", path, headers={"Accept": PICKUPS}, effect=CallEffect.CHANGES), skip_check
            )
        except NotFound:
            return

    async def check_address(self, party: Party) -> AddressCheck:
        """Raise `NotImplementedError`: address checks are a separate product."""
        raise NotImplementedError("Canada Post checks no addresses here")

    async def _shipment(self, shipment_id: str) -> answers.Bought:
        ask = Ask("GET", f"{self._root}/shipment/{path_part(shipment_id)}", headers={"Accept": SHIPMENTS})
        return await self._wire.ask(ask, lambda answer: answers.read_shipment(answer.content))

    async def _purchase(self, bought: answers.Bought, service: str, effect: CallEffect) -> Purchase:
        if "label" not in bought.links or not bought.tracking_pin:
            lost = OutcomeUnknown if effect is CallEffect.CHANGES else CarrierUnavailable
            raise lost("Canada Post has not given the label")
        link = bought.links["label"]
        label = await self._wire.download(link.href, effect, link.media_type)
        form = LabelFormat.PDF if label.startswith(b"%PDF") else LabelFormat.ZPL
        return Purchase(
            carrier_reference=bought.shipment_id,
            service=service,
            tracking_number=bought.tracking_pin,
            parcels=(BoughtParcel(bought.tracking_pin, label, form),),
            price=bought.price,
        )

    async def _refund(self, path: str) -> VoidOutcome:
        ask = Ask(
            "POST",
            f"{path}/refund",
            content=requests.refund_request(self._email),
            headers=_speaks(SHIPMENTS),
            effect=CallEffect.CHANGES,
        )
        try:
            await self._wire.ask(ask, skip_check)
        except CredentialsRefused:
            raise
        except CarrierRefused as refused:
            return VoidOutcome(VoidState.REFUSED, refused.messages)
        return VoidOutcome(VoidState.PENDING)

    async def _group(self, day: date) -> set[str]:
        """Return the shipments in a day's group."""
        params = {"groupId": requests.group_of(day)}
        ask = Ask("GET", f"{self._root}/shipment", params=params, headers={"Accept": SHIPMENTS})
        try:
            found = await self._wire.ask(ask, lambda answer: answers.read_shipments(answer.content))
        except NotFound:
            return set()
        return set(map(answers.last_part, found))

    async def _is_transmitted(self, shipment_id: str) -> bool:
        try:
            return (await self._shipment(shipment_id)).status == TRANSMITTED
        except NotFound:
            return False

    async def _transmit(self, day: date, place: Party, excluded: list[str]) -> tuple[str | None, Paper | None]:
        body = requests.transmit_request(day, place, self._contract, excluded)
        ask = Ask("POST", f"{self._root}/manifest", content=body, headers=_speaks(MANIFESTS), effect=CallEffect.CHANGES)
        made = await self._wire.ask(ask, lambda answer: answers.read_manifests(answer.content))
        if not made:
            return None, None
        try:
            ask = Ask("GET", made[0], headers={"Accept": MANIFESTS})
            number, link = await self._wire.ask(ask, lambda answer: answers.read_manifest(answer.content))
            sheet = await self._wire.download(link.href, media_type=link.media_type)
            return number, Paper("manifest", sheet, link.media_type)
        except (CarrierUnavailable, CarrierRefused):
            return answers.last_part(made[0]), None


def _speaks(media_type: str) -> dict[str, str]:
    return {"Accept": media_type, "Content-Type": media_type}


CONNECTOR = Connector(KIND, CanadaPost)

"""ShipEngine client for one account."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

import msgspec

from haulier.adapters.carriers.connectors import Connector, Line
from haulier.adapters.carriers.shipengine import answers, requests
from haulier.adapters.carriers.wire import Ask, CallEffect, FixedHeaders, NotFound, Wire, path_part, skip_check
from haulier.contexts.shipping.ports import (
    AddressCheck,
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

ADDRESS = "https://api.shipengine.com"
"""Live and test keys use the same address."""

KIND = CarrierKind(
    code="SHIPENGINE",
    name="ShipEngine",
    credentials=(
        CredentialField("api_key", "API key"),
        CredentialField(
            "carrier_ids", "Carrier accounts (se-…), by comma; all when empty", secret=False, required=False
        ),
    ),
    capabilities=frozenset(Capability),
)
NEEDS_PURCHASES = make_own_message("carrier.needs_labels", "needs_purchases", field="bought")


def _refusal(answer: "httpx.Response") -> list[CarrierMessage]:
    return answers.read_refusal(answer.content)


def _refused_purchase(answer: "httpx.Response") -> list[CarrierMessage]:
    return answers.read_refused_purchase(answer.content)


class ShipEngine:
    """Account at ShipEngine. A service is `carrier account:service code`."""

    capabilities = KIND.capabilities
    services: Sequence[CarrierService] = ()

    def __init__(self, credentials: Mapping[str, str], test_mode: bool, line: Line) -> None:
        address = line.address(test_mode, ADDRESS, ADDRESS, "/shipengine")
        key = FixedHeaders({"API-Key": credentials["api_key"]})
        named = credentials.get("carrier_ids", "").split(",")
        self._carrier_ids = [carrier_id.strip() for carrier_id in named if carrier_id.strip()]
        self._pictures = line.pictures
        self._wire = Wire(line.clients, address, key, _refusal, "ShipEngine")
        self._purchases = Wire(line.clients, address, key, _refused_purchase, "ShipEngine")

    async def test_credentials(self) -> None:
        """Test the credentials by listing the carrier accounts."""
        await self._all_carrier_ids()

    async def rate(self, shipment: Shipment, services: Sequence[str] = ()) -> Rates:
        """Request the rates of all carrier accounts in one call."""
        carrier_ids = sorted({requests.split_service(service)[0] for service in services})
        carrier_ids = carrier_ids or self._carrier_ids or await self._all_carrier_ids()
        body = requests.rate_request(shipment, carrier_ids, list(services))
        ask = Ask("POST", "/v1/rates", json=body)
        return await self._wire.ask(ask, lambda answer: answers.read_rates(answer.content, services))

    async def buy(self, shipment: Shipment, rate: Rate, label_format: LabelFormat) -> Purchase:
        """Buy a shipment.

        The labels of several parcels come in one document. A PDF is split by its pages if the installation can read
        PDFs, otherwise ZPL is requested.
        """
        body = requests.label_request(shipment, rate, label_format, splits=self._pictures is not None)
        ask = Ask("POST", "/v1/labels", json=body, effect=CallEffect.CHANGES)
        return await self._parted(await self._purchases.ask(ask, lambda answer: answers.read_new_label(answer.content)))

    async def _parted(self, purchase: Purchase) -> Purchase:
        """Assign each parcel its page of a PDF.

        If the PDF cannot be read or the page count differs, each parcel gets the whole document.
        """
        parcels = purchase.parcels
        if self._pictures is None or len(parcels) == 1 or parcels[0].label_format is not LabelFormat.PDF:
            return purchase
        try:
            pages = await self._pictures.split(parcels[0].label)
        except OutcomeUnknown:
            return purchase
        if len(pages) != len(parcels):
            return purchase
        parts = (msgspec.structs.replace(each, label=page) for each, page in zip(parcels, pages, strict=True))
        return msgspec.structs.replace(purchase, parcels=tuple(parts))

    async def find_purchase(self, shipment: Shipment) -> Purchase | None:
        """Find a purchase by its reference, ShipEngine's `external_shipment_id`."""
        path = f"/v1/labels/external_shipment_id/{path_part(shipment.reference)}"
        ask = Ask("GET", path, params={"label_download_type": "inline"})
        found = await self._or_none(ask)
        return await self._parted(found) if found else None

    async def void(self, bought: BoughtReference) -> VoidOutcome:
        """Request a void from the underlying carrier."""
        path = f"/v1/labels/{path_part(bought.carrier_reference)}/void"
        try:
            return await self._wire.ask(
                Ask("PUT", path, effect=CallEffect.CHANGES), lambda answer: answers.read_void(answer.content)
            )
        except CredentialsRefused:
            raise
        except CarrierRefused as refused:
            return VoidOutcome(VoidState.REFUSED, refused.messages)

    async def close_day(self, ship_on: date, place: Party, bought: Sequence[BoughtReference]) -> Manifest:
        """Create a manifest for labels that are not yet on one of the day.

        Labels that are already on a manifest count as closed.
        """
        asked = {each.carrier_reference for each in bought}
        made = dict(await self._manifests(ship_on))
        closed = {label for labels, _ in made.values() for label in labels} & asked
        messages: dict[str, CarrierMessage] = {}
        if rest := sorted(asked - closed):
            try:
                ask = Ask("POST", "/v1/manifests", json={"label_ids": rest}, effect=CallEffect.CHANGES)
                made |= await self._wire.ask(ask, lambda answer: answers.read_manifests(answer.content))
            except CredentialsRefused:
                raise
            except CarrierRefused as refused:
                messages = dict.fromkeys(rest, refused.messages[0])
        ours = {key: (labels & asked, href) for key, (labels, href) in made.items() if labels & asked}
        closed |= {label for labels, _ in ours.values() for label in labels}
        return Manifest(
            manifest_id=",".join(ours) or None,
            closed=tuple(each.carrier_reference for each in bought if each.carrier_reference in closed),
            messages={**answers.missing(bought, closed), **messages},
            paper=await self._paper([href for _, href in ours.values() if href]),
        )

    async def track(self, tracking_number: str) -> Sequence[CarrierEvent | UnreadScan]:
        """Return the scans of a label of this account."""
        ask = Ask("GET", "/v1/labels", params={"tracking_number": tracking_number})
        found = await self._wire.ask(ask, lambda answer: answers.read_label_ids(answer.content))
        if not found:
            return []
        ask = Ask("GET", f"/v1/labels/{path_part(found[0])}/track")
        return await self._wire.ask(ask, lambda answer: answers.read_events(answer.content))

    async def book_pickup(self, request: PickupRequest) -> Pickup:
        """Book a pickup for bought labels."""
        if not request.bought:
            raise CarrierRefused((NEEDS_PURCHASES,))
        ask = Ask("POST", "/v1/pickups", json=requests.pickup_request(request), effect=CallEffect.CHANGES)
        return Pickup(await self._wire.ask(ask, lambda answer: answers.read_pickup(answer.content)))

    async def cancel_pickup(self, confirmation: str) -> None:
        """Cancel a pickup. A missing one counts as cancelled."""
        ask = Ask("DELETE", f"/v1/pickups/{path_part(confirmation)}", effect=CallEffect.CHANGES)
        try:
            await self._wire.ask(ask, skip_check)
        except NotFound:
            return

    async def check_address(self, party: Party) -> AddressCheck:
        """Check an address. Many countries are supported."""
        ask = Ask("POST", "/v1/addresses/validate", json=[requests.address(party, "address")])
        return await self._wire.ask(ask, lambda answer: answers.read_address(answer.content, party))

    async def _all_carrier_ids(self) -> list[str]:
        return await self._wire.ask(Ask("GET", "/v1/carriers"), lambda answer: answers.read_carriers(answer.content))

    async def _or_none(self, ask: Ask) -> Purchase | None:
        try:
            return await self._wire.ask(ask, lambda answer: answers.read_label(answer.content))
        except NotFound:
            return None

    async def _manifests(self, ship_on: date) -> answers.ManifestLinks:
        days = {"ship_date_start": f"{ship_on}T00:00:00Z", "ship_date_end": f"{ship_on + timedelta(days=1)}T00:00:00Z"}
        ask = Ask("GET", "/v1/manifests", params={**days, "page_size": "500"})
        return await self._wire.ask(ask, lambda answer: answers.read_manifests(answer.content))

    async def _paper(self, addresses: Sequence[str]) -> Paper | None:
        """Return the document if there is exactly one manifest.

        Returns None if it cannot be downloaded. The labels are closed in either case.
        """
        if len(addresses) != 1:
            return None
        try:
            return Paper("manifest", await self._wire.download(addresses[0]), "application/pdf")
        except (CarrierUnavailable, CarrierRefused):
            return None


CONNECTOR = Connector(KIND, ShipEngine)

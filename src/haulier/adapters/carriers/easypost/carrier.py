"""EasyPost client for one account."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

import msgspec

from haulier.adapters.carriers.connectors import Connector, Line
from haulier.adapters.carriers.easypost import answers, requests
from haulier.adapters.carriers.easypost.answers import EasyPostOrder, EasyPostPickup, EasyPostShipment
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
)
from haulier.contexts.shipping.public import make_own_message
from haulier.kernel.values.money import find_cheapest

if TYPE_CHECKING:
    import httpx

ADDRESS = "https://api.easypost.com"
"""Live and test keys use the same address."""
BATCH_TRIES, BATCH_PAUSE_S = 10, 0.5

KIND = CarrierKind(
    code="EASYPOST",
    name="EasyPost",
    credentials=(CredentialField("api_key", "API key"),),
    capabilities=frozenset(Capability),
)
NEEDS_PURCHASES = make_own_message("carrier.needs_labels", "needs_purchases", field="bought")
ORDER = "order_"


def _refusal(answer: "httpx.Response") -> list[CarrierMessage]:
    return answers.read_refusal(answer.content)


class EasyPost:
    """Account at EasyPost.

    A service is `carrier:service`. Several parcels are an order.
    """

    capabilities = KIND.capabilities
    services: Sequence[CarrierService] = ()

    def __init__(self, credentials: Mapping[str, str], test_mode: bool, line: Line) -> None:
        address = line.address(test_mode, ADDRESS, ADDRESS, "/easypost")
        key = FixedHeaders(basic_authorization(credentials["api_key"], ""))
        self._wire = Wire(line.clients, address, key, _refusal, "EasyPost")

    async def test_credentials(self) -> None:
        """Test the credentials by requesting one tracker."""
        await self._wire.ask(Ask("GET", "/v2/trackers", params={"page_size": "1"}), skip_check)

    async def rate(self, shipment: Shipment, services: Sequence[str] = ()) -> Rates:
        """Create an unreferenced shipment and return its rates.

        It costs nothing, and cannot be confused with the purchase.
        """
        return answers.rates_of(await self._make(shipment, None, LabelFormat.PDF), services)

    async def buy(self, shipment: Shipment, rate: Rate, label_format: LabelFormat) -> Purchase:
        """Create a shipment under its reference, and buy it at up to the rate's price.

        A shipment that was already created or bought under the reference is reused.
        """
        made = await self._by_reference(shipment)
        if made and all(each.bought for each in _parcels(made)):
            return await self._purchase(made, CallEffect.CHANGES)
        made = made or await self._make(shipment, shipment.reference, label_format)
        chosen = self._choose(made, rate)
        if isinstance(made, EasyPostShipment):
            body, path, read = {"rate": {"id": chosen.id}}, f"/v2/shipments/{made.id}/buy", answers.read_shipment
        else:
            body = {"carrier": chosen.carrier, "service": chosen.service}
            path, read = f"/v2/orders/{made.id}/buy", answers.read_order
        ask = Ask("POST", path, json=body, effect=CallEffect.CHANGES)
        bought = await self._wire.ask(ask, lambda answer: read(answer.content))
        return await self._purchase(bought, CallEffect.CHANGES)

    async def find_purchase(self, shipment: Shipment) -> Purchase | None:
        """Find a purchase by its reference, which EasyPost accepts in place of an ID."""
        made = await self._by_reference(shipment)
        if made is None or not any(each.bought for each in _parcels(made)):
            return None
        return await self._purchase(made, CallEffect.READS)

    async def void(self, bought: BoughtReference) -> VoidOutcome:
        """Request a refund of each parcel, once.

        The underlying carrier decides, often days later.
        """
        statuses: list[str | None] = []
        messages: tuple[CarrierMessage, ...] = ()
        for parcel in await self._bought_parcels(bought.carrier_reference):
            status = parcel.refund_status
            if status is None:
                ask = Ask("POST", f"/v2/shipments/{parcel.id}/refund", json={}, effect=CallEffect.CHANGES)
                try:
                    status = (
                        await self._wire.ask(ask, lambda answer: answers.read_shipment(answer.content))
                    ).refund_status
                except CredentialsRefused:
                    raise
                except CarrierRefused as refused:
                    status, messages = "rejected", (*messages, *refused.messages)
            statuses.append(status)
        return VoidOutcome(answers.refund_state(statuses), messages)

    async def close_day(self, ship_on: date, place: Party, bought: Sequence[BoughtReference]) -> Manifest:
        """Create one scan form for the shipments that are not on any."""
        parcels = {each.carrier_reference: await self._bought_parcels(each.carrier_reference) for each in bought}
        closed = [reference for reference, own in parcels.items() if all(parcel.scan_form for parcel in own)]
        messages = {
            reference: make_own_message("carrier.label_voided", "void")
            for reference, own in parcels.items()
            if reference not in closed and not all(parcel.bought for parcel in own)
        }
        rest = [reference for reference in parcels if reference not in closed and reference not in messages]
        if not rest:
            return Manifest(None, tuple(closed), messages)
        ids = [{"id": parcel.id} for reference in rest for parcel in parcels[reference]]
        ask = Ask("POST", "/v2/scan_forms", json={"shipments": ids}, effect=CallEffect.CHANGES)
        try:
            form = await self._wire.ask(ask, lambda answer: msgspec.json.decode(answer.content, type=answers.ScanForm))
        except CredentialsRefused:
            raise
        except CarrierRefused as refused:
            return Manifest(None, tuple(closed), {**messages, **dict.fromkeys(rest, refused.messages[0])})
        return Manifest(form.id, (*closed, *rest), messages, await self._paper(form.form_url))

    async def track(self, tracking_number: str) -> Sequence[CarrierEvent | UnreadScan]:
        """Return the scans of parcels that were bought here.

        No tracker is created for other parcels, because it would be charged.
        """
        ask = Ask("GET", "/v2/trackers", params={"tracking_code": tracking_number})
        return await self._wire.ask(ask, lambda answer: answers.read_tracker(answer.content))

    async def book_pickup(self, request: PickupRequest) -> Pickup:
        """Request a pickup and buy its cheapest rate."""
        ids = [parcel.id for each in request.bought for parcel in await self._bought_parcels(each.carrier_reference)]
        if not ids:
            raise CarrierRefused((NEEDS_PURCHASES,))
        batch = await self._batch(ids) if len(ids) > 1 else None
        ask = Ask("POST", "/v2/pickups", json=requests.pickup_request(request, ids, batch))
        asked = await self._wire.ask(ask, _read_pickup)
        if not asked.pickup_rates:
            raise CarrierRefused((make_own_message("carrier.no_pickup", "no_pickup"),))
        first = asked.pickup_rates[0]
        rate = find_cheapest(asked.pickup_rates, lambda each: each.price, first.price.currency) or first
        body = {"carrier": rate.carrier, "service": rate.service}
        await self._wire.ask(
            Ask("POST", f"/v2/pickups/{asked.id}/buy", json=body, effect=CallEffect.CHANGES), _read_pickup
        )
        return Pickup(asked.id, rate.price)

    async def cancel_pickup(self, confirmation: str) -> None:
        """Cancel a pickup, unless it is already cancelled."""
        path = f"/v2/pickups/{path_part(confirmation)}"
        if (await self._wire.ask(Ask("GET", path), _read_pickup)).status != "canceled":
            await self._wire.ask(Ask("POST", f"{path}/cancel", json={}, effect=CallEffect.CHANGES), skip_check)

    async def check_address(self, party: Party) -> AddressCheck:
        """Check that an address is deliverable."""
        body = {"address": requests.address(party, "address"), "verify": True}
        ask = Ask("POST", "/v2/addresses", json=body)
        return await self._wire.ask(ask, lambda answer: answers.read_address(answer.content, party))

    async def _make(
        self, shipment: Shipment, reference: str | None, label_format: LabelFormat
    ) -> EasyPostShipment | EasyPostOrder:
        if len(shipment.parcels) == 1:
            body = requests.shipment_request(shipment, reference, label_format)
            return await self._wire.ask(
                Ask("POST", "/v2/shipments", json=body), lambda answer: answers.read_shipment(answer.content)
            )
        body = requests.order_request(shipment, reference, label_format)
        return await self._wire.ask(
            Ask("POST", "/v2/orders", json=body), lambda answer: answers.read_order(answer.content)
        )

    async def _by_reference(self, shipment: Shipment) -> EasyPostShipment | EasyPostOrder | None:
        reference = path_part(shipment.reference)
        try:
            if len(shipment.parcels) == 1:
                ask = Ask("GET", f"/v2/shipments/{reference}")
                return await self._wire.ask(ask, lambda answer: answers.read_shipment(answer.content))
            ask = Ask("GET", f"/v2/orders/{reference}")
            return await self._wire.ask(ask, lambda answer: answers.read_order(answer.content))
        except NotFound:
            return None

    def _choose(self, made: EasyPostShipment | EasyPostOrder, rate: Rate) -> answers.EasyPostRate:
        """Return the rate of the same service.

        Raises `CarrierRefused` if there is none, or if it costs more.
        """
        offered = [each for each in made.rates if each.code == rate.service]
        if not offered:
            absent = make_own_message(
                "carrier.service_not_offered", "not_offered", carrier="EasyPost", service=rate.name or rate.service
            )
            raise CarrierRefused((absent,))
        cheapest = find_cheapest(offered, lambda each: each.price, rate.price.currency) or offered[0]
        if cheapest.price.currency != rate.price.currency or cheapest.price.minor > rate.price.minor:
            now, then = str(cheapest.price), str(rate.price)
            raise CarrierRefused((make_own_message("carrier.rate_changed", "rate_changed", now=now, then=then),))
        return cheapest

    async def _purchase(self, made: EasyPostShipment | EasyPostOrder, effect: CallEffect) -> Purchase:
        parcels = _parcels(made)
        try:
            labels = [parcel.label() for parcel in parcels]
            rates = [parcel.selected_rate for parcel in parcels]
            prices = [rate.price for rate in rates if rate]
            services = [rate.code for rate in rates if rate]
            numbers = [parcel.tracking_code or "" for parcel in parcels]
        except ValueError as fault:
            lost = OutcomeUnknown if effect is CallEffect.CHANGES else CarrierUnavailable
            raise lost("EasyPost has not given every label") from fault
        documents = [await self._wire.download(address, effect) for address, _ in labels]
        total = prices[0] if prices else None
        for price in prices[1:]:
            total = price + total if total else price
        return Purchase(
            carrier_reference=made.id,
            service=services[0] if services else "",
            tracking_number=numbers[0],
            parcels=tuple(
                BoughtParcel(number, document, form)
                for number, document, (_, form) in zip(numbers, documents, labels, strict=True)
            ),
            price=total,
        )

    async def _bought_parcels(self, reference: str) -> list[EasyPostShipment]:
        if reference.startswith(ORDER):
            ask = Ask("GET", f"/v2/orders/{path_part(reference)}")
            return (await self._wire.ask(ask, lambda answer: answers.read_order(answer.content))).shipments
        ask = Ask("GET", f"/v2/shipments/{path_part(reference)}")
        return [await self._wire.ask(ask, lambda answer: answers.read_shipment(answer.content))]

    async def _batch(self, ids: Sequence[str]) -> str:
        """Return a batch of shipments once it is created.

        Raises `CarrierUnavailable` if that takes too long.
        """
        body = {"batch": {"shipments": [{"id": each} for each in ids]}}
        batch = await self._wire.ask(Ask("POST", "/v2/batches", json=body), _read_batch)
        for _ in range(BATCH_TRIES):
            if batch.state != "creating":
                return batch.id
            await asyncio.sleep(BATCH_PAUSE_S)
            batch = await self._wire.ask(Ask("GET", f"/v2/batches/{batch.id}"), _read_batch)
        raise CarrierUnavailable("EasyPost has not made the batch of a pickup in time")

    async def _paper(self, address: str | None) -> Paper | None:
        """Return the form, or None if it cannot be downloaded.

        The shipments are closed in either case.
        """
        if address is None:
            return None
        try:
            return Paper("manifest", await self._wire.download(address), "application/pdf")
        except (CarrierUnavailable, CarrierRefused):
            return None


def _parcels(made: EasyPostShipment | EasyPostOrder) -> list[EasyPostShipment]:
    return [made] if isinstance(made, EasyPostShipment) else made.shipments


def _read_pickup(answer: "httpx.Response") -> EasyPostPickup:
    return msgspec.json.decode(answer.content, type=EasyPostPickup)


def _read_batch(answer: "httpx.Response") -> answers.Batch:
    return msgspec.json.decode(answer.content, type=answers.Batch)


CONNECTOR = Connector(KIND, EasyPost)

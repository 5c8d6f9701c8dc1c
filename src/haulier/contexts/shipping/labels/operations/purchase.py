"""Operations on labels: purchase."""

from collections.abc import Sequence

from msgspec import UNSET

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.shipping.accounts.actions import close_account
from haulier.contexts.shipping.accounts.contract import LABELS, CarrierAccountRef, CarrierServiceRecord
from haulier.contexts.shipping.accounts.queries import list_active_accounts, open_carrier
from haulier.contexts.shipping.accounts.rules import CARRIER_ACCOUNT_IN_USE
from haulier.contexts.shipping.labels import store
from haulier.contexts.shipping.labels.actions.carrier_rates import (
    KeptQuote,
    Wanted,
    get_quoted_offer,
    quote_terms,
    rate_service,
    rate_terms,
    require_offer,
    with_incomparable,
)
from haulier.contexts.shipping.labels.actions.purchases import wait_for_purchase
from haulier.contexts.shipping.labels.actions.submissions import Draft, claim_purchase, submit_shipment, terms_columns
from haulier.contexts.shipping.labels.contract import (
    CarrierComparison,
    CarrierComparisonList,
    CreatedShipment,
    CreateShippingLabel,
    QuoteAndShip,
    RateShipment,
    ShipmentAnswer,
    ShipmentTerms,
    ShippingMethodList,
    ShippingMethods,
    ShippingRate,
    ShippingRateList,
    SubmitShippingInformation,
)
from haulier.contexts.shipping.labels.queries import call_of, get_visible_shipment
from haulier.contexts.shipping.labels.rules import (
    SHIPMENT_LIFE,
    SHIPMENT_REF_TAKEN,
    SHIPMENT_STEP_REFUSED,
    SHIPPING_RATE_EXPIRED,
    SHIPPING_RATE_NOT_AVAILABLE,
    Offer,
    ShipmentState,
    ShipmentStep,
    by_name,
    cheapest,
    fastest,
)
from haulier.contexts.shipping.labels.serializers import is_office, remark_records, shipment_detail, shipping_rate
from haulier.contexts.shipping.ports import CarrierService, CarrierUnavailable
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Area, McpServer, Risk, Scope
from haulier.kernel.operations.errors import (
    CONFLICT,
    INVALID_REQUEST,
    NOT_FOUND,
    PRICE_HIDDEN,
    FieldError,
    record_not_found,
)
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext


@writes(
    "close_carrier_account",
    available_when={"active": True},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.LABELS_WRITE},
    risk=Risk.HIGH,
    interfaces=(
        Rest("DELETE", "/v1/carrier-accounts/{account_id}", area=Area.SHIPPING),
        GraphQL("closeCarrierAccount"),
    ),
    errors=(NOT_FOUND, CARRIER_ACCOUNT_IN_USE),
)
async def close_carrier_account(call: Call, request: CarrierAccountRef) -> Done:
    """Close a carrier account.

    Its credentials are deleted. Rejected while its carrier owes an answer.
    """
    if owed := await store.count_owed(call.work, request.account_id):
        raise CARRIER_ACCOUNT_IN_USE(count=owed)
    await close_account(call, request.account_id)
    return Done(message=call.translate("carrier_account_closed"))


SHIPPERS = OFFICE | {Account.CUSTOMER}
BOTH_SERVERS = frozenset({McpServer.USER, McpServer.DEVELOPER})


@reads(
    "get_shipping_methods",
    audience=SHIPPERS,
    scopes={Scope.LABELS_READ},
    interfaces=(
        Rest("GET", "/v1/labelservice/methods"),
        GraphQL("labelserviceMethods"),
        Mcp("get_shipping_methods", servers=BOTH_SERVERS, title="List carriers and services"),
    ),
)
async def get_shipping_methods(call: Call, request: EmptyRequest) -> ShippingMethodList:
    """List carrier accounts and services for shipping."""
    methods = []
    for account in await list_active_accounts(call.work):
        try:
            services: Sequence[CarrierService] = open_carrier(call.app, account, call.business.currency).services
        except CarrierUnavailable:
            services = ()
        offered = [each for each in services if each.code not in account.services_off]
        methods.append(
            ShippingMethods(
                account_id=account.id,
                account=account.name,
                carrier=account.carrier,
                default=account.is_default,
                services=[record(CarrierServiceRecord, service) for service in offered],
            )
        )
    return ShippingMethodList(methods=methods)


async def fetch_rates(context: RequestContext, request: RateShipment) -> KeptQuote:
    """Return the rates of all carriers, stored."""
    return await quote_terms(
        context,
        request,
        account_ids=request.account_ids,
        services=request.services,
        customer_id=request.customer_id,
    )


@reads(
    "get_shipping_rate",
    audience=SHIPPERS,
    scopes={Scope.LABELS_READ},
    interfaces=(
        Rest("POST", "/v1/labelservice/rate"),
        GraphQL("labelserviceRate"),
        Mcp("get_shipping_rate", servers=BOTH_SERVERS, title="Get shipping rates"),
    ),
    prepare=fetch_rates,
    errors=(NOT_FOUND,),
)
async def get_shipping_rate(call: Call, request: RateShipment) -> ShippingRateList:
    """Get shipping rates from all carriers.

    Cheapest first. A carrier that is slow, out of order or cannot carry the shipment has no rate and is named in
    `messages`. A label bought with a `rate_id` costs that rate until it expires. If prices are hidden, services are
    sorted by name.
    """
    quote: KeptQuote = call.prepared
    return ShippingRateList(
        quote_id=quote.id,
        expires_at=call.local_time(quote.expires_at),
        rates=_rates(call, quote),
        messages=remark_records(call, quote.rated.remarks),
    )


@reads(
    "compare_all_carriers",
    audience=SHIPPERS,
    scopes={Scope.LABELS_READ},
    interfaces=(
        Rest("POST", "/v1/labelservice/compare"),
        GraphQL("labelserviceCompare"),
        Mcp("compare_all_carriers", title="Compare carriers"),
    ),
    prepare=fetch_rates,
    errors=(NOT_FOUND,),
)
async def compare_all_carriers(call: Call, request: RateShipment) -> CarrierComparisonList:
    """Compare all carriers side by side.

    Returns the cheapest and the fastest rate of each.
    """
    quote: KeptQuote = call.prepared
    offers = list(quote.rated.offers)
    accounts = dict.fromkeys((offer.account_id, offer.account, offer.carrier) for offer in offers)
    compared = [
        _comparison(call, quote, [each for each in offers if each.account_id == key[0]], key) for key in accounts
    ]
    if call.principal.hides(LABELS):
        compared.sort(key=lambda each: (each.carrier, each.account_id))
    return CarrierComparisonList(
        quote_id=quote.id,
        expires_at=call.local_time(quote.expires_at),
        carriers=compared,
        messages=remark_records(call, quote.rated.remarks),
    )


def _comparison(
    call: Call, quote: KeptQuote, offers: Sequence[Offer], account: tuple[int, str, str]
) -> CarrierComparison:
    quickest, least = fastest(offers, call.business.currency), cheapest(offers, call.business.currency)
    hidden = call.principal.hides(LABELS)
    return CarrierComparison(
        account_id=account[0],
        account=account[1],
        carrier=account[2],
        rates=len(offers),
        cheapest=None if hidden or least is None else _rate(call, quote, least),
        fastest=_rate(call, quote, quickest) if quickest else None,
    )


def _rates(call: Call, quote: KeptQuote) -> list[ShippingRate]:
    hidden = call.principal.hides(LABELS)
    return [_rate(call, quote, offer) for offer in (by_name(quote.rated.offers) if hidden else quote.rated.offers)]


def _rate(call: Call, quote: KeptQuote, offer: Offer) -> ShippingRate:
    return shipping_rate(offer, quote.rate_id(offer), call.time_zone, office=is_office(call.principal))


PURCHASE_ERRORS = (
    NOT_FOUND,
    CONFLICT,
    CREDIT_INSUFFICIENT,
    SHIPMENT_REF_TAKEN,
    SHIPPING_RATE_NOT_AVAILABLE,
)


async def finish_purchase(context: RequestContext, request: object, answer: ShipmentAnswer) -> ShipmentAnswer:
    """Buy the claimed label and return the result.

    Waits for another process that calls the carrier. A job settles what is still unknown.
    """
    client_id = context.principal.client_id
    if client_id is None or answer.shipment.state != ShipmentState.PURCHASE_UNKNOWN:
        return answer
    if not await wait_for_purchase(context.app, client_id, answer.shipment.id):
        return answer
    async with context.app.database.read(client_id) as work:
        row = await store.get_shipment_row(work, answer.shipment.id)
        if row is not None:
            answer.shipment = shipment_detail(call_of(context, work), row, await store.list_parcel_rows(work, row.id))
    return answer


async def rate_named_service(context: RequestContext, request: CreateShippingLabel) -> Wanted | None:
    """Return the current price of the named service.

    None for a quoted rate, and for a draft without a service.
    """
    if request.shipment is None or request.service is None:
        return None
    return await rate_service(
        context.app, context.principal.business, request.shipment, request.account_id, request.service
    )


@writes(
    "create_shipping_label",
    audience=SHIPPERS,
    scopes={Scope.LABELS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", "/v1/labelservice/submitOrder"),
        GraphQL("labelserviceSubmitOrder"),
        Mcp("create_shipping_label", servers=BOTH_SERVERS, title="Buy a shipping label"),
    ),
    prepare=rate_named_service,
    after_commit=finish_purchase,
    errors=(*PURCHASE_ERRORS, SHIPPING_RATE_EXPIRED),
)
async def create_shipping_label(call: Call, request: CreateShippingLabel) -> CreatedShipment:
    """Buy a shipping label.

    Uses a quoted rate or a named service. A label is bought once for each `order_ref`, or for each rate without one: a
    repeat returns the same shipment. If the carrier's answer is lost, the purchase is unknown until the carrier
    confirms or denies it. If the carrier refuses, the purchase failed, and can be retried later.
    """
    if request.rate_id is not None:
        quoted = await get_quoted_offer(call, request.rate_id)
        draft = Draft(
            terms=quoted.terms, offer=quoted.offer, purchase=request, rate_id=request.rate_id, buy=not request.draft
        )
    else:
        assert request.shipment is not None  # the request's own validator requires it
        offer = require_offer(call, call.prepared) if call.prepared else None
        draft = Draft(terms=request.shipment, offer=offer, purchase=request, buy=not request.draft)
    return await _submit(call, draft)


async def rate_for_best(context: RequestContext, request: QuoteAndShip) -> Wanted:
    """Return the best rate of all carriers."""
    business = context.principal.business
    rated = await rate_terms(context.app, business, request.shipment, account_ids=request.account_ids)
    currency = business.currency if business else ""
    offers = [offer for offer in rated.offers if request.max_price_minor is None or _within(offer, request, currency)]
    if request.choose == "fastest":
        return Wanted(fastest(offers, currency), rated)
    return Wanted(cheapest(offers, currency), with_incomparable(context.app, rated, offers, currency))


def _within(offer: Offer, request: QuoteAndShip, currency: str) -> bool:
    return (
        request.max_price_minor is not None
        and offer.price.currency == currency
        and offer.price.minor <= request.max_price_minor
    )


@writes(
    "quote_and_ship",
    audience=SHIPPERS,
    scopes={Scope.LABELS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", "/v1/labelservice/quoteAndShip"),
        GraphQL("labelserviceQuoteAndShip"),
        Mcp("quote_and_ship", title="Ship with the best carrier"),
    ),
    prepare=rate_for_best,
    after_commit=finish_purchase,
    errors=(*PURCHASE_ERRORS, PRICE_HIDDEN),
)
async def quote_and_ship(call: Call, request: QuoteAndShip) -> CreatedShipment:
    """Rate a shipment and buy the best label.

    Buys the cheapest or the fastest label of all carriers within a maximum price. The cheapest is chosen among rates in
    your currency, or in the only currency available; `not_compared` counts the others.
    """
    offer = require_offer(call, call.prepared)
    created = await _submit(call, Draft(terms=request.shipment, offer=offer, purchase=request))
    if request.choose == "cheapest":
        currencies = [each.price.currency for each in call.prepared.rated.offers]
        created.not_compared = sum(currency != offer.price.currency for currency in currencies) or UNSET
    return created


async def _submit(call: Call, draft: Draft) -> CreatedShipment:
    submitted = await submit_shipment(call, draft)
    parcels = await store.list_parcel_rows(call.work, submitted.row.id)
    return CreatedShipment(shipment=shipment_detail(call, submitted.row, parcels), existing=submitted.existing)


async def rate_completed(context: RequestContext, request: SubmitShippingInformation) -> Wanted | None:
    """Return the current price of the completed shipment, or None if it is not bought."""
    if not request.purchase:
        return None
    async with context.app.database.read(context.principal.client_id) as work:
        row = await get_visible_shipment(call_of(context, work), request.shipment_id)
    SHIPMENT_LIFE.next_status_or_raise(ShipmentStep.BUY, ShipmentState(row.state))
    terms = request.shipment or ShipmentTerms.model_validate(row.terms)
    service = request.service or row.service
    if service is None:
        raise INVALID_REQUEST.for_fields(FieldError("service", "field.missing"))
    return await rate_service(
        context.app, context.principal.business, terms, request.account_id or row.account_id, service
    )


@writes(
    "submit_shipping_information",
    available_when={"state": SHIPMENT_LIFE.allowing(ShipmentStep.CHANGE)},
    audience=SHIPPERS,
    scopes={Scope.LABELS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/labelservice/submitShippingInformation"),
        GraphQL("labelserviceSubmitShippingInformation"),
        Mcp("submit_shipping_information", title="Complete a shipment"),
    ),
    prepare=rate_completed,
    after_commit=finish_purchase,
    errors=(NOT_FOUND, SHIPMENT_STEP_REFUSED, SHIPPING_RATE_NOT_AVAILABLE, CREDIT_INSUFFICIENT),
)
async def submit_shipping_information(call: Call, request: SubmitShippingInformation) -> ShipmentAnswer:
    """Complete or correct a shipment and buy it.

    Only for shipments that were not bought. Also retries a failed purchase.
    """
    row = await get_visible_shipment(call, request.shipment_id, lock=True)
    SHIPMENT_LIFE.next_status_or_raise(ShipmentStep.CHANGE, ShipmentState(row.state))
    changes = terms_columns(call, request.shipment or ShipmentTerms.model_validate(row.terms))
    if request.label_format is not None:
        changes["label_format"] = request.label_format
    if request.purchase:
        # Kept: the carrier is queried for the first request before another purchase.
        await claim_purchase(call, row, require_offer(call, call.prepared), **changes)
    else:
        named = {"service": request.service, "account_id": request.account_id}
        changes |= {name: value for name, value in named.items() if value is not None}
        await store.update_shipment_row(call.work, row.id, {**changes, "updated_at": call.now})
        call.add_audit_subjects("shipment", row.id)
    changed = await store.get_shipment_row(call.work, row.id)
    if changed is None:
        raise record_not_found(shipment_id=row.id)
    return ShipmentAnswer(shipment=shipment_detail(call, changed, await store.list_parcel_rows(call.work, row.id)))

"""Rates: which carriers there are, what they charge, which is the best."""

from collections.abc import Sequence

from haulier.contexts.shipping.accounts.contract.accounts import CarrierServiceRecord
from haulier.contexts.shipping.accounts.contract.tariffs import LABELS
from haulier.contexts.shipping.accounts.queries import list_active_accounts, open_carrier
from haulier.contexts.shipping.labels.actions.quotes import KeptQuote, quote_terms
from haulier.contexts.shipping.labels.contract.rates import (
    CarrierComparison,
    CarrierComparisonList,
    RateShipment,
    ShippingMethodList,
    ShippingMethods,
    ShippingRate,
    ShippingRateList,
)
from haulier.contexts.shipping.labels.rules.rates import Offer, by_name, cheapest, fastest
from haulier.contexts.shipping.labels.serializers.rates import shipping_rate
from haulier.contexts.shipping.labels.serializers.shipments import is_office, remark_records
from haulier.contexts.shipping.ports import CarrierService, CarrierUnavailable
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, McpServer, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext

SHIPPERS = OFFICE | {Account.CUSTOMER}
BOTH_SERVERS = frozenset({McpServer.USER, McpServer.DEVELOPER})


@reads(
    "get_shipping_methods",
    audience=SHIPPERS,
    scopes={Scope.LABELS_READ},
    doors=(
        Rest("GET", "/v1/labelservice/methods"),
        GraphQL("labelserviceMethods"),
        Mcp("get_shipping_methods", servers=BOTH_SERVERS, title="List carriers and services"),
    ),
)
async def get_shipping_methods(call: Call, request: EmptyRequest) -> ShippingMethodList:
    """List the accounts with carriers that can be shipped with, and their services."""
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


async def ask_for_rates(context: RequestContext, request: RateShipment) -> KeptQuote:
    """The rates of all carriers, kept."""
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
    doors=(
        Rest("POST", "/v1/labelservice/rate"),
        GraphQL("labelserviceRate"),
        Mcp("get_shipping_rate", servers=BOTH_SERVERS, title="Rate a shipment"),
    ),
    prepare=ask_for_rates,
    errors=(NOT_FOUND,),
)
async def get_shipping_rate(call: Call, request: RateShipment) -> ShippingRateList:
    """Ask all carriers at once what a shipment costs, cheapest first.

    A carrier that is slow, out of order or cannot carry it has no rate and is named in `messages`. A label that is bought with
    a `rate_id` costs what the rate said, until it expires. Where prices are hidden, services come by name.
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
    doors=(
        Rest("POST", "/v1/labelservice/compare"),
        GraphQL("labelserviceCompare"),
        Mcp("compare_all_carriers", title="Compare carriers"),
    ),
    prepare=ask_for_rates,
    errors=(NOT_FOUND,),
)
async def compare_all_carriers(call: Call, request: RateShipment) -> CarrierComparisonList:
    """Put the carriers side by side: of each its cheapest and its fastest rate."""
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

"""Prices of local deliveries: rate cards for new orders, and quotes."""

from collections.abc import Iterator

from haulier.contexts.orders.quotes import store
from haulier.contexts.orders.quotes.contract import (
    DeliveryRate,
    DeliveryRateLine,
    DeliveryRateList,
    OrderWarning,
    QuoteDelivery,
)
from haulier.contexts.orders.quotes.rules import (
    QUOTE_VALIDITY,
    ClosedEnd,
    PricedFacts,
    RateCard,
    RateCards,
    find_closed_ends,
    get_default_rate_card,
    haul_of,
    is_distance_assumed,
    make_quote_id,
    price_haul_per_service,
    priced_postal_code,
    require_open,
)
from haulier.contexts.places.party_checks.rules import CheckedParty, check_party
from haulier.contexts.places.public import get_zone_index, get_zone_surcharges
from haulier.kernel.call import Call
from haulier.kernel.data.notified_cache import ClientCache
from haulier.kernel.data.unit_of_work import UnitOfWork


class KnownRateCards(ClientCache[RateCard | None]):
    """Cached rate cards of clients, which every order and quote needs."""

    channel = store.RATE_CARDS_CHANNEL

    async def read(self, work: UnitOfWork) -> RateCard | None:
        """Return the rate card that the client has set, or None."""
        return await store.find_own_rate_card(work)


async def get_current_rate_card(call: Call) -> RateCard:
    """Return the client's rate card, or the default card."""
    return await call.adapter(KnownRateCards).of(call.work) or get_default_rate_card(call.business.currency)


async def get_rate_cards(call: Call, *, quoted: bool) -> RateCards:
    """Return the client's rate card, or the default one.

    With `quoted`, also the earlier cards that open quotes rely on.
    """
    past = await store.list_past_rate_cards(call.work) if quoted else []
    zones = await get_zone_surcharges(call, call.now - QUOTE_VALIDITY if quoted else None)
    return RateCards(await get_current_rate_card(call), past, zones)


async def quote_rates(call: Call, request: QuoteDelivery) -> DeliveryRateList:
    """Every service of the rate card with its price, cheapest first.

    Raises `RATE_NOT_AVAILABLE` beyond the last zone of the card, and the `ZONE_ERRORS` for a place that zones in force close.
    """
    closed = find_closed_ends(await get_zone_index(call), request.visited_places)
    require_open(closed)
    card = await get_current_rate_card(call)
    facts = PricedFacts(
        shipper=request.shipper.place,
        consignee=request.consignee.place,
        postal_code=priced_postal_code(request.priced_postal_code),
        weight_g=request.weight_g,
        packages=request.packages,
        cod_minor=request.cod,
        signature_required=request.signature_required,
        type=request.collected,
    )
    haul = haul_of(card, facts, await get_zone_surcharges(call))
    names = {service.code: service.name for service in card.services}
    rates = [
        DeliveryRate(
            rate_id=priced.rate_id,
            service=priced.service,
            service_name=names[priced.service],
            zone=priced.zone,
            shipping_price=priced.total,
            tax=priced.tax,
            currency=call.business.currency,
            price_details=[DeliveryRateLine(code=line.code, amount=line.amount) for line in priced.lines],
        )
        for priced in price_haul_per_service(card, haul)
    ]
    return DeliveryRateList(
        quote_id=make_quote_id(call.client_id, call.now, facts),
        expires_at=call.local_time(call.now + QUOTE_VALIDITY),
        distance_m=haul.distance_m,
        distance_assumed=is_distance_assumed(card, facts.shipper, facts.consignee),
        rates=rates,
        warnings=[*(_zone_warning(call, end) for end in closed), *_party_warnings(call, request)],
    )


def _party_warnings(call: Call, request: QuoteDelivery) -> Iterator[OrderWarning]:
    for field, end in (("consignee", request.consignee), ("shipper", request.shipper)):
        party = CheckedParty(
            lines=(),
            street=end.address or "",
            country=end.country or "",
            city=end.city or "",
            region=end.region or "",
            place=end.place,
        )
        for found in check_party(party, own_drivers=field in request.visited_places):
            message = call.translate(f"party.{found.code}", **found.params)
            yield OrderWarning(field=field, code=found.code.upper(), message=message)


def _zone_warning(call: Call, end: ClosedEnd) -> OrderWarning:
    message = call.translate(f"order_warning_{end.error_id}")
    return OrderWarning(field=end.field, code=end.error_id.upper(), message=message)

"""Rates, as answers show them."""

from collections.abc import Iterator
from datetime import datetime

from haulier.contexts.shipping.labels.contract.shipments import CarrierRemark
from haulier.contexts.shipping.labels.rules.rates import Offer
from haulier.contexts.shipping.labels.serializers.shipments import (
    carrier_price,
    is_office,
    offer_charges,
    remark_records,
)
from haulier.contexts.shipping.uniorder.contract.rates import (
    UniorderCharge,
    UniorderRate,
    UniorderRates,
    family_of_kind,
)
from haulier.contexts.shipping.uniorder.rules.quoted import LocalQuote, QuotedForm, RatePlace, make_rate_id
from haulier.contexts.shipping.uniorder.rules.states import LOCAL_CARRIER
from haulier.kernel.call import Call
from haulier.kernel.operations.stored_errors import render_stored_error


def uniorder_rates(call: Call, quote_id: int, quoted: QuotedForm, asked_at: datetime) -> UniorderRates:
    """All ways to send a form. Those whose price the caller may not see come last and by name."""
    rates = [*_local_rates(call, quote_id, quoted.local), *_label_rates(call, quote_id, quoted)]
    return UniorderRates(
        quote_id=quote_id,
        expires_at=call.local_time(quoted.expires_at or asked_at),
        rates=sorted(rates, key=lambda rate: _place(call, rate)),
        messages=[*_local_messages(call, quoted.local), *remark_records(call, quoted.remarks)],
    )


def _place(call: Call, rate: UniorderRate) -> tuple[bool, bool, str, int, str, str]:
    """Order by price within each currency, the business's own first: prices in two currencies cannot be compared."""
    if call.principal.hides(rate.price_family):
        return True, False, "", 0, rate.service_name.casefold(), rate.rate_id
    currency, price = rate.currency or "", rate.shipping_price or 0
    return False, currency != call.business.currency, currency, price, rate.service_name.casefold(), rate.rate_id


def _local_rates(call: Call, quote_id: int, quote: LocalQuote) -> Iterator[UniorderRate]:
    if quote.expires_at is None:
        return
    for index, rate in enumerate(quote.rates):
        yield UniorderRate(
            rate_id=make_rate_id(RatePlace(quote_id, True, index)),
            kind="local",
            price_family=family_of_kind("local"),
            carrier=LOCAL_CARRIER,
            account_id=None,
            service=rate.service,
            service_name=rate.service_name,
            shipping_price=rate.total,
            currency=rate.currency,
            price_details=local_charges(rate.lines, rate.tax),
            transit_days=None,
            deliver_by=None,
            guaranteed=False,
            expires_at=call.local_time(quote.expires_at),
        )


def local_charges(lines: tuple[tuple[str, int], ...], tax: int) -> list[UniorderCharge]:
    """The parts of the price of a local delivery."""
    parts = [UniorderCharge(code=code, name=None, amount=amount) for code, amount in lines]
    return [*parts, UniorderCharge(code="tax", name=None, amount=tax)] if tax else parts


def label_charges(offer: Offer, *, office: bool) -> list[UniorderCharge]:
    """The parts of the price of a label."""
    return [
        UniorderCharge(code=part.code, name=part.name, amount=part.amount or 0)
        for part in offer_charges(offer, office=office)
    ]


def _label_rates(call: Call, quote_id: int, quoted: QuotedForm) -> Iterator[UniorderRate]:
    office = is_office(call.principal)
    for index, offer in enumerate(quoted.offers):
        yield UniorderRate(
            rate_id=make_rate_id(RatePlace(quote_id, False, index)),
            kind="label",
            price_family=family_of_kind("label"),
            carrier=offer.carrier,
            account_id=offer.account_id,
            service=offer.rate.service,
            service_name=offer.rate.name,
            shipping_price=offer.price.minor,
            currency=offer.price.currency,
            price_details=label_charges(offer, office=office),
            carrier_price=carrier_price(offer, office=office),
            transit_days=offer.rate.transit_days,
            deliver_by=call.local_time(offer.rate.deliver_by),
            guaranteed=offer.rate.guaranteed,
            expires_at=call.local_time(offer.expires_at),
        )


def _local_messages(call: Call, quote: LocalQuote) -> list[CarrierRemark]:
    if quote.fault is None:
        return []
    said = render_stored_error(quote.fault, call.app.catalogues, call.language)
    return [CarrierRemark(carrier=LOCAL_CARRIER, severity="error", code=said.code, text=said.message)]

"""A form is quoted by every way at once: local delivery by the rate card, labels by their carriers."""

from datetime import datetime

from msgspec import Struct

from haulier.contexts.orders.public import quote_rates
from haulier.contexts.shipping.labels.actions.carrier_rates import Rated, rate_terms
from haulier.contexts.shipping.labels.actions.quotes import own_customer_id, require_customer
from haulier.contexts.shipping.labels.rules.lifecycle import SHIPPING_RATE_EXPIRED
from haulier.contexts.shipping.labels.rules.rates import Offer, by_name, fault
from haulier.contexts.shipping.uniorder.contract.rates import RateUniorder, UniorderForm
from haulier.contexts.shipping.uniorder.rules.quoted import (
    LocalQuote,
    LocalRate,
    QuotedForm,
    delivery_to_quote,
    from_document,
    local_quote,
    read_rate_id,
    to_document,
)
from haulier.contexts.shipping.uniorder.store import quotes as store
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import INVALID_REQUEST, OperationError, record_not_found
from haulier.kernel.operations.stored_errors import error_document
from haulier.kernel.principal import Business

NOT_ASKED = Rated((), ())
NOT_KEPT = 0


class KeptForm(Struct, frozen=True):
    """Rates that were kept; in a rehearsal under no id."""

    id: int
    quoted: QuotedForm
    asked_at: datetime


class QuotedWay(Struct, frozen=True):
    """A rate by its id: one of local delivery or an offer of a carrier, and what it is for."""

    form: UniorderForm
    local: LocalRate | None
    local_quote_id: str | None
    offer: Offer | None


async def ask_carriers(app: Application, business: Business | None, request: RateUniorder) -> Rated:
    """What label carriers say. Before a unit of work is open: they take seconds. Raises `NOT_FOUND` for an account.

    Where nobody is known to send, that is a remark: local delivery is quoted all the same.
    """
    if not request.quote_labels:
        return NOT_ASKED
    try:
        return await rate_terms(app, business, request, account_ids=request.account_ids, services=request.services)
    except OperationError as error:
        if error.error_type is not INVALID_REQUEST:
            raise
        return Rated((), (fault("NO_SENDER", "carrier.nobody_sends"),))


async def keep_rates(call: Call, request: RateUniorder, rated: Rated, *, keep: bool = True) -> KeptForm:
    """Quote the local delivery, and keep it with what carriers said. Raises `NOT_FOUND` for an unknown customer."""
    if request.customer_id is not None:
        await require_customer(call.work, call.principal, request.customer_id)
    quoted = QuotedForm(local=await _quote_local(call, request), offers=by_name(rated.offers), remarks=rated.remarks)
    if not keep:
        return KeptForm(NOT_KEPT, quoted, call.now)
    values = {
        "customer_id": own_customer_id(call.principal, request.customer_id),
        "form": request.model_dump(mode="json", include=set(UniorderForm.model_fields)),
        "quoted": to_document(quoted),
        "created_at": call.now,
    }
    return KeptForm(await store.insert_quote(call.work, values), quoted, call.now)


async def _quote_local(call: Call, form: UniorderForm) -> LocalQuote:
    try:
        return local_quote(await quote_rates(call, delivery_to_quote(form)))
    except OperationError as error:
        return LocalQuote(fault=error_document(error))


async def get_quoted_way(call: Call, rate_id: str) -> QuotedWay:
    """A rate by its id. Raises `NOT_FOUND` for another's, `SHIPPING_RATE_EXPIRED`."""
    place = read_rate_id(rate_id)
    row = (await store.list_quote_rows(call.work, [place.quote_id])).get(place.quote_id) if place else None
    foreign = call.principal.account is Account.CUSTOMER and row is not None and row.customer_id != call.actor
    if place is None or row is None or foreign:
        raise record_not_found(rate_id=rate_id)
    quoted = from_document(row.quoted)
    rates = quoted.local.rates if place.local else quoted.offers
    if place.index >= len(rates):
        raise record_not_found(rate_id=rate_id)
    offer = None if place.local else quoted.offers[place.index]
    expires_at = offer.expires_at if offer else quoted.local.expires_at
    if expires_at is None or expires_at <= call.now:
        raise SHIPPING_RATE_EXPIRED()
    return QuotedWay(
        form=UniorderForm.model_validate(row.form),
        local=quoted.local.rates[place.index] if place.local else None,
        local_quote_id=quoted.local.quote_id,
        offer=offer,
    )

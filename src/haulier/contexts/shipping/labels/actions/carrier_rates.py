"""Writes of labels for other families: carrier rates."""

import asyncio
import logging
import re
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial
from typing import NoReturn
from zoneinfo import ZoneInfo

from msgspec import Struct

from haulier.contexts.identity.public import get_customer_principal
from haulier.contexts.places.party_checks.rules import MILITARY_ADDRESS, PO_BOX
from haulier.contexts.shipping.accounts.contract import ShippingAddress
from haulier.contexts.shipping.accounts.queries import (
    CarrierAccountRow,
    get_default_account,
    list_active_accounts,
    mark_up_of,
    open_carrier,
)
from haulier.contexts.shipping.labels import store
from haulier.contexts.shipping.labels.contract import ShipmentTerms
from haulier.contexts.shipping.labels.rules import (
    RATE_DEADLINE_S,
    SHIPPING_RATE_EXPIRED,
    SHIPPING_RATE_NOT_AVAILABLE,
    Offer,
    Remark,
    by_name,
    carrier_shipment,
    cheapest,
    cheapest_first,
    currencies_of,
    fault,
    find_postal_only_reason,
    list_party_findings,
    make_offer,
    offer_from_document,
    offers_to_document,
    remark,
    ship_moment,
)
from haulier.contexts.shipping.labels.serializers import latest_expiry, remark_text
from haulier.contexts.shipping.ports import CarrierRefused, CarrierUnavailable, Severity
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import INVALID_REQUEST, UNAUTHENTICATED, FieldError, record_not_found
from haulier.kernel.principal import Business, Principal
from haulier.kernel.request_context import RequestContext

log = logging.getLogger("haulier.shipping")
RATE_REFERENCE = "rate"
"""Reference of a shipment that is only rated."""


class Rated(Struct, frozen=True):
    """Offers of carriers, cheapest first, and their remarks."""

    offers: Sequence[Offer]
    remarks: Sequence[Remark]


class Question(Struct, frozen=True):
    """A rating request to carriers."""

    app: Application
    business: Business
    terms: ShipmentTerms
    services: Sequence[str]
    now: datetime


async def rate_terms(
    app: Application,
    business: Business | None,
    terms: ShipmentTerms,
    *,
    account_ids: Collection[int] = (),
    services: Sequence[str] = (),
) -> Rated:
    """Request rates from the accounts of a client.

    Raises `NOT_FOUND`, or `INVALID_REQUEST` without a sender.
    """
    if business is None:
        raise UNAUTHENTICATED()
    async with app.database.read(business.id) as work:
        accounts = await list_active_accounts(work, account_ids)
    return await rate_with(Question(app, business, terms, services, app.clock()), accounts)


async def rate_with(question: Question, accounts: Sequence[CarrierAccountRow]) -> Rated:
    """Request rates from some accounts."""
    if accounts and not any(sender_of(question.terms, account) for account in accounts):
        raise_no_sender()
    tasks = {asyncio.create_task(_fetch_rates(question, account)): account for account in accounts}
    if tasks:
        await asyncio.wait(tasks, timeout=RATE_DEADLINE_S)
    answers = [task.result() if task.done() else _too_slow(task, account) for task, account in tasks.items()]
    offers = [offer for answer in answers for offer in answer.offers]
    remarks = [*_party_remarks(question), *(each for answer in answers for each in answer.remarks)]
    return Rated(cheapest_first(offers, question.business.currency), remarks)


def with_incomparable(app: Application, rated: Rated, offers: Sequence[Offer], currency: str) -> Rated:
    """Return rates with a remark if currencies prevent choosing the cheapest."""
    if not offers or cheapest(offers, currency) is not None:
        return rated
    message, params = "label_rates_not_comparable", {"currencies": currencies_of(offers)}
    text = app.catalogues.translate(DEFAULT_LANGUAGE, message, **params)
    said = Remark(severity=Severity.ERROR.value, code="CURRENCIES", text=text, message=message, params=params)
    return Rated(rated.offers, [*rated.remarks, said])


def sender_of(terms: ShipmentTerms, account: CarrierAccountRow) -> ShippingAddress | None:
    """Return the sender of the shipment, else of the account, or None."""
    if terms.shipper is not None:
        return terms.shipper
    return ShippingAddress.model_validate(account.sender) if account.sender else None


def raise_no_sender() -> NoReturn:
    """Raise `INVALID_REQUEST` for a missing sender."""
    raise INVALID_REQUEST.for_fields(FieldError("shipper", "field.sender_needed"))


def _too_slow(task: asyncio.Task[Rated], account: CarrierAccountRow) -> Rated:
    task.cancel()
    seconds = f"{RATE_DEADLINE_S:g}"
    said = fault("TOO_SLOW", "carrier.too_slow", account.id, account.carrier, account=account.name, seconds=seconds)
    return Rated((), (said,))


async def _fetch_rates(question: Question, account: CarrierAccountRow) -> Rated:
    """Return the rates of one account. A carrier's failure becomes a remark."""
    say = partial(fault, account_id=account.id, carrier=account.carrier, account=account.name)
    sender = sender_of(question.terms, account)
    if sender is None:
        return Rated((), (say("NO_SENDER", "carrier.no_sender"),))
    shipment = carrier_shipment(
        question.terms,
        reference=RATE_REFERENCE,
        sender=sender,
        ship_at=ship_moment(question.terms, question.now, ZoneInfo(question.business.time_zone)),
        currency=question.business.currency,
    )
    try:
        carrier = open_carrier(question.app, account, question.business.currency)
        said = await carrier.rate(shipment, question.services)
    except CarrierRefused as refusal:
        return Rated((), tuple(remark(each, account.id, account.carrier) for each in refusal.messages))
    except CarrierUnavailable as outage:
        log.warning("carrier account %s was not reached: %s", account.id, outage)
        return Rated((), (say("NOT_REACHED", "carrier.not_reached"),))
    except Exception:
        log.exception("carrier account %s failed to rate", account.id)
        return Rated((), (say("NOT_UNDERSTOOD", "carrier.not_understood"),))
    offered = [rate for rate in said.rates if rate.service not in account.services_off]
    remarks = [remark(message, account.id, account.carrier) for message in said.messages]
    if reason := find_postal_only_reason(question.terms):
        reaching = [rate for rate in offered if rate.po_boxes]
        if len(reaching) < len(offered):
            remarks.append(_postal_only_remark(question, account, reason, some=bool(reaching)))
        offered = reaching
    mark_up = mark_up_of(account)
    return Rated(
        [make_offer(account.id, account.name, account.carrier, mark_up, rate, question.now) for rate in offered],
        remarks,
    )


_LEFT_OUT = {
    PO_BOX: ("label_no_po_boxes", "label_some_po_boxes"),
    MILITARY_ADDRESS: ("label_no_military_addresses", "label_some_military_addresses"),
}
"""Messages on an account without a suitable service, and on one with some."""


def _postal_only_remark(question: Question, account: CarrierAccountRow, reason: str, *, some: bool) -> Remark:
    """Return a remark on services that don't deliver where only posts do."""
    message = _LEFT_OUT[reason][some]
    return Remark(
        account_id=account.id,
        carrier=account.carrier,
        severity=(Severity.INFO if some else Severity.ERROR).value,
        code=reason.upper(),
        text=question.app.catalogues.translate(DEFAULT_LANGUAGE, message, account=account.name),
        field="consignee.address",
        message=message,
        params={"account": account.name},
    )


def _party_remarks(question: Question) -> list[Remark]:
    """Return remarks on unusual senders and recipients."""
    return [
        Remark(
            severity=Severity.WARNING.value,
            code=found.code.upper(),
            text=question.app.catalogues.translate(DEFAULT_LANGUAGE, f"party.{found.code}", **found.params),
            field=field,
            message=f"party.{found.code}",
            params=found.params,
        )
        for field, found in list_party_findings(question.terms, question.terms.shipper)
    ]


NOT_KEPT = 0
_RATE_ID = re.compile(r"([1-9][0-9]{0,14})-([0-9]{1,4})", re.ASCII)


class KeptQuote(Struct, frozen=True):
    """Stored rates."""

    id: int
    rated: Rated
    expires_at: datetime

    def rate_id(self, offer: Offer) -> str:
        """Return the id of an offer, numbered by name to hide price order."""
        return f"{self.id}-{next(place for place, each in enumerate(by_name(self.rated.offers)) if each is offer)}"


class QuotedOffer(Struct, frozen=True):
    """A stored offer and its shipment."""

    offer: Offer
    terms: ShipmentTerms


async def quote_terms(
    context: RequestContext,
    terms: ShipmentTerms,
    *,
    account_ids: Collection[int] = (),
    services: Sequence[str] = (),
    customer_id: int | None = None,
) -> KeptQuote:
    """Request rates and store them, except in a dry run.

    Call it outside a transaction: carriers take seconds.
    """
    app, principal = context.app, context.principal
    rated = await rate_terms(app, principal.business, terms, account_ids=account_ids, services=services)
    now = app.clock()
    expires_at = latest_expiry(rated.offers, now)
    if context.dry_run:
        return KeptQuote(NOT_KEPT, rated, expires_at)
    async with app.database.write(principal.client_id) as work:
        owner = own_customer_id(principal, customer_id)
        if customer_id is not None:
            await require_customer(work, principal, customer_id)
        values = {
            "customer_id": owner,
            "shipment": terms.model_dump(mode="json", include=set(ShipmentTerms.model_fields)),
            "offers": offers_to_document(by_name(rated.offers)),
            "created_at": now,
            "expires_at": expires_at,
        }
        quote_id = await store.insert_quote(work, values)
    return KeptQuote(quote_id, rated, expires_at)


async def require_customer(work: UnitOfWork, principal: Principal, customer_id: int) -> None:
    """Require a customer of the client. Raises `NOT_FOUND`."""
    if principal.business is None or await get_customer_principal(work, principal.business, customer_id) is None:
        raise record_not_found(customer_id=customer_id)


def own_customer_id(principal: Principal, customer_id: int | None) -> int | None:
    """Return the customer of a shipment: customers ship for themselves."""
    return principal.user_id if principal.account is Account.CUSTOMER else customer_id


async def get_quoted_offer(call: Call, rate_id: str) -> QuotedOffer:
    """Return an offer by id.

    Raises `NOT_FOUND` for another customer's, `SHIPPING_RATE_EXPIRED`.
    """
    match = _RATE_ID.fullmatch(rate_id)
    if match is None:
        raise record_not_found(rate_id=rate_id)
    index = int(match[2])
    row = await store.get_quote_row(call.work, int(match[1]))
    foreign = call.principal.account is Account.CUSTOMER and row is not None and row.customer_id != call.actor
    if row is None or foreign or index >= len(row.offers):
        raise record_not_found(rate_id=rate_id)
    offer = offer_from_document(row.offers[index])
    if offer.expires_at <= call.now:
        raise SHIPPING_RATE_EXPIRED()
    return QuotedOffer(offer, ShipmentTerms.model_validate(row.shipment))


class Wanted(Struct, frozen=True):
    """Current offer of a label without a quoted rate, and carrier remarks."""

    offer: Offer | None
    rated: Rated


async def rate_service(
    app: Application, business: Business | None, terms: ShipmentTerms, account_id: int | None, service: str
) -> Wanted:
    """Rate a service with an account or the default one.

    Call it outside a transaction: carriers take seconds. Raises `NOT_FOUND` for an unknown account, `INVALID_REQUEST`
    without an account or a sender.
    """
    account_ids = [account_id] if account_id is not None else [await _default_account_id(app, business)]
    rated = await rate_terms(app, business, terms, account_ids=account_ids, services=[service])
    return Wanted(next((offer for offer in rated.offers if offer.rate.service == service), None), rated)


async def _default_account_id(app: Application, business: Business | None) -> int:
    async with app.database.read(business.id if business else None) as work:
        account = await get_default_account(work)
    if account is None:
        raise INVALID_REQUEST.for_fields(FieldError("account_id", "field.missing"))
    return account.id


def require_offer(call: Call, wanted: Wanted) -> Offer:
    """Return the offer.

    Raises `SHIPPING_RATE_NOT_AVAILABLE` with the carriers' remarks.
    """
    if wanted.offer is None:
        said = "; ".join(dict.fromkeys(remark_text(call, each) for each in wanted.rated.remarks))
        raise SHIPPING_RATE_NOT_AVAILABLE(reason=said[:500] or "-")
    return wanted.offer

"""All carriers are asked at once for their rates: a slow one costs its own rate and no other's."""

import asyncio
import logging
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial
from typing import NoReturn
from zoneinfo import ZoneInfo

from msgspec import Struct

from haulier.contexts.places.party_checks.rules import PO_BOX
from haulier.contexts.shipping.accounts.contract.accounts import ShippingAddress
from haulier.contexts.shipping.accounts.queries import (
    CarrierAccountRow,
    list_active_accounts,
    mark_up_of,
    open_carrier,
)
from haulier.contexts.shipping.labels.contract.shipments import ShipmentTerms
from haulier.contexts.shipping.labels.rules.rates import (
    RATE_DEADLINE_S,
    Offer,
    Remark,
    carrier_shipment,
    cheapest,
    cheapest_first,
    currencies_of,
    fault,
    is_for_po_box,
    list_party_findings,
    make_offer,
    remark,
    ship_moment,
)
from haulier.contexts.shipping.ports import CarrierRefused, CarrierUnavailable, Severity
from haulier.kernel.application import Application
from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE
from haulier.kernel.operations.errors import INVALID_REQUEST, UNAUTHENTICATED, FieldError
from haulier.kernel.principal import Business

log = logging.getLogger("haulier.shipping")
RATE_REFERENCE = "rate"
"""What a shipment is called that is only asked about."""


class Rated(Struct, frozen=True):
    """What carriers offer, the cheapest first, and what they remark."""

    offers: Sequence[Offer]
    remarks: Sequence[Remark]


class Question(Struct, frozen=True):
    """What is asked of every carrier."""

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
    """Ask the accounts of a client for rates. Raises `NOT_FOUND`, or `INVALID_REQUEST` where nobody is known to send."""
    if business is None:
        raise UNAUTHENTICATED()
    async with app.database.read(business.id) as work:
        accounts = await list_active_accounts(work, account_ids)
    return await rate_with(Question(app, business, terms, services, app.clock()), accounts)


async def rate_with(question: Question, accounts: Sequence[CarrierAccountRow]) -> Rated:
    """Ask some accounts for rates."""
    if accounts and not any(sender_of(question.terms, account) for account in accounts):
        raise_no_sender()
    tasks = {asyncio.create_task(_ask(question, account)): account for account in accounts}
    if tasks:
        await asyncio.wait(tasks, timeout=RATE_DEADLINE_S)
    answers = [task.result() if task.done() else _too_slow(task, account) for task, account in tasks.items()]
    offers = [offer for answer in answers for offer in answer.offers]
    remarks = [*_party_remarks(question), *(each for answer in answers for each in answer.remarks)]
    return Rated(cheapest_first(offers, question.business.currency), remarks)


def with_incomparable(app: Application, rated: Rated, offers: Sequence[Offer], currency: str) -> Rated:
    """Return what carriers said, with a remark where none of the offers is the cheapest for want of one currency."""
    if not offers or cheapest(offers, currency) is not None:
        return rated
    message, params = "label_rates_not_comparable", {"currencies": currencies_of(offers)}
    text = app.catalogues.translate(DEFAULT_LANGUAGE, message, **params)
    said = Remark(severity=Severity.ERROR.value, code="CURRENCIES", text=text, message=message, params=params)
    return Rated(rated.offers, [*rated.remarks, said])


def sender_of(terms: ShipmentTerms, account: CarrierAccountRow) -> ShippingAddress | None:
    """Who sends: as the shipment says, else as the account does."""
    if terms.shipper is not None:
        return terms.shipper
    return ShippingAddress.model_validate(account.sender) if account.sender else None


def raise_no_sender() -> NoReturn:
    """Nobody is known to send. Raises `INVALID_REQUEST`."""
    raise INVALID_REQUEST.for_fields(FieldError("shipper", "field.sender_needed"))


def _too_slow(task: asyncio.Task[Rated], account: CarrierAccountRow) -> Rated:
    task.cancel()
    seconds = f"{RATE_DEADLINE_S:g}"
    said = fault("TOO_SLOW", "carrier.too_slow", account.id, account.carrier, account=account.name, seconds=seconds)
    return Rated((), (said,))


async def _ask(question: Question, account: CarrierAccountRow) -> Rated:
    """What one account says. Whatever goes wrong with a carrier is a remark, and no matter of the others."""
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
    if is_for_po_box(question.terms):
        reaching = [rate for rate in offered if rate.po_boxes]
        remarks += [_po_box_remark(question, account, some=bool(reaching))] if len(reaching) < len(offered) else []
        offered = reaching
    mark_up = mark_up_of(account)
    return Rated(
        [make_offer(account.id, account.name, account.carrier, mark_up, rate, question.now) for rate in offered],
        remarks,
    )


def _po_box_remark(question: Question, account: CarrierAccountRow, *, some: bool) -> Remark:
    """Say that services which don't deliver to P.O. boxes are left out."""
    message = "label_some_po_boxes" if some else "label_no_po_boxes"
    return Remark(
        account_id=account.id,
        carrier=account.carrier,
        severity=(Severity.INFO if some else Severity.ERROR).value,
        code=PO_BOX.upper(),
        text=question.app.catalogues.translate(DEFAULT_LANGUAGE, message, account=account.name),
        field="consignee.address",
        message=message,
        params={"account": account.name},
    )


def _party_remarks(question: Question) -> list[Remark]:
    """Name what is odd about the sender and the recipient, whoever carries it."""
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

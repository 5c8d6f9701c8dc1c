"""Writes of delivery orders for other families: create."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from haulier.contexts.custom_fields.public import Document, ResourceKind, index_new_records
from haulier.contexts.orders.delivery_orders.actions.creation_facts import CreationFacts, load_creation_facts
from haulier.contexts.orders.delivery_orders.actions.custom_fields import NewOrderFields
from haulier.contexts.orders.delivery_orders.actions.order_items import fill_items, item_row_values
from haulier.contexts.orders.delivery_orders.actions.order_sums import count_new_orders
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, OrderAddress
from haulier.contexts.orders.delivery_orders.queries.visible_orders import OwnerRef, Repeat, find_repeats, owner_ref
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus, open_day
from haulier.contexts.orders.delivery_orders.rules.packages import TrackedPackage, tracked_packages
from haulier.contexts.orders.delivery_orders.rules.warnings import (
    build_order_search_text,
    derive_order_day,
    differing_fields,
    request_digest,
)
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.delivery_orders.store.items import insert_order_items
from haulier.contexts.orders.delivery_pins.actions import make_delivery_pins
from haulier.contexts.orders.events import OrderCreated
from haulier.contexts.orders.quotes.rules import (
    QUOTE_EXPIRED,
    QUOTE_MISMATCH,
    RATE_NOT_AVAILABLE,
    ZONE_ERRORS,
    HaulPrice,
    PricedFacts,
    RateCards,
    find_closed_ends,
    haul_of,
    price_haul,
    priced_postal_code,
    read_quote_id,
    require_open,
    require_quoted,
)
from haulier.contexts.places.public import BookAddress, get_book_addresses, get_default_senders
from haulier.contexts.tracking.public import Location, NewEvent, begin_timelines, set_number_owner
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import CONFLICT, INVALID_REQUEST, FieldError, OperationError, declare_error
from haulier.kernel.operations.records import columns
from haulier.kernel.values.ids import make_tracking_number

ENDS = {"recipient_address_id": "consignee", "sender_address_id": "shipper"}
COPIED = ("name", "address", "unit", "city", "region", "postal_code", "country", "phone", "email", "lat", "lng")


async def fill_addresses(call: Call, requests: Sequence[CreateOrder]) -> list[CreateOrder | OperationError]:
    """Return the requests with address book entries and default senders filled in.

    At most two statements. A request that names an unknown address, or lacks a required sender, is replaced by its
    error.
    """
    ids = {id for request in requests for field in ENDS if (id := getattr(request, field)) is not None}
    book = await get_book_addresses(call, ids) if ids else {}
    named: list[CreateOrder | OperationError] = [_filled(request, book) if ids else request for request in requests]
    unsent = [request for request in named if isinstance(request, CreateOrder) and _lacks_sender(request)]
    if not unsent:
        return named
    senders = await get_default_senders(call, {request.customer_id for request in unsent})
    return [_sent(request, senders) for request in named]


def _lacks_sender(request: CreateOrder) -> bool:
    """Return True if the request lacks a sender that a driver must visit.

    Deliveries start at the depot and need no sender.
    """
    return request.type != "D" and request.shipper is None


def _sent(
    request: CreateOrder | OperationError, senders: Mapping[int | None, BookAddress]
) -> CreateOrder | OperationError:
    if isinstance(request, OperationError) or not _lacks_sender(request):
        return request
    if (sender := senders.get(request.customer_id)) is None:
        return INVALID_REQUEST.for_fields(FieldError("shipper", "field.shipper_needed"))
    return request.model_copy(update={"shipper": _order_address(sender)})


def _filled(request: CreateOrder, book: dict[int, BookAddress]) -> CreateOrder | OperationError:
    named = {field: id for field in ENDS if (id := getattr(request, field)) is not None}
    if unknown := [FieldError(field, "field.no_such_address") for field, id in named.items() if id not in book]:
        return INVALID_REQUEST.for_fields(*unknown)
    ends: dict[str, Any] = {ENDS[field]: _order_address(book[id]) for field, id in named.items()}
    return request.model_copy(update={**ends, **dict.fromkeys(named)}) if named else request


def _order_address(row: BookAddress) -> OrderAddress:
    """An address of the book as an order has it. Its gate code stays in the book."""
    given = {name: getattr(row, name) for name in COPIED}
    return OrderAddress.model_validate({**given, "notes": row.access_notes})


def documents_by_piece(request: CreateOrder, documents: Sequence[Document | None]) -> Sequence[Document | None]:
    """Return the custom fields of each single package of a request."""
    if not documents:
        return ()
    packages = zip(request.packages, documents, strict=True)
    return [document for package, document in packages for _ in range(package.quantity)]


def package_row_values(
    request: CreateOrder, order_id: int, tracking_number: str, documents: Sequence[Document | None] = ()
) -> list[dict[str, Any]]:
    """Return the rows of an order's packages.

    The first package has the order's number, each further one its own. `documents` holds the custom fields of each
    package; it is empty if no package has any.
    """
    return [
        {
            "order_id": order_id,
            "tracking_number": tracking_number + (f"-{number}" if number > 1 else ""),
            **piece.model_dump(exclude={"quantity", "custom_fields"}),
            "quantity": 1,
            "custom_fields": documents[number - 1] if documents else None,
        }
        for number, piece in enumerate(request.pieces, 1)
    ]


SERVICE_UNKNOWN = declare_error("service_unknown", 422, fields=("service",))
ORDER_REF_TAKEN = declare_error("order_ref_taken", 409)
CREATE_ORDER_ERRORS = (
    SERVICE_UNKNOWN,
    ORDER_REF_TAKEN,
    RATE_NOT_AVAILABLE,
    *ZONE_ERRORS,
    QUOTE_EXPIRED,
    QUOTE_MISMATCH,
    CONFLICT,
)
"""The errors of creating an order, besides faults of the request."""
MAX_CREATE_ATTEMPTS = 4
"""Maximum attempts of a call when parallel calls use its references first."""


class CreateOutcome(Struct, frozen=True):
    """The result of one request: the row of the order, or the error."""

    row: orders_store.OrderRow | None
    existing: bool = False
    error: OperationError | None = None
    request: CreateOrder | None = None
    """The request with the addresses that it named by their ids, where it named any."""


class AgreedTerms(Struct, frozen=True):
    """Terms that replace the rate card: a price, and the offer of another business."""

    price: dict[str, Any]
    partner_offer_id: int | None


class CreatePlan(Struct, frozen=True):
    """Plan for some requests: rows to write, repeats and finished outcomes, by index."""

    rows: dict[int, dict[str, Any]]
    repeats: dict[int, int]
    settled: dict[int, CreateOutcome]


async def create_orders(
    call: Call,
    requests: Sequence[CreateOrder],
    *,
    replaces: Mapping[int, int] | None = None,
    agreed: Mapping[int, AgreedTerms] | None = None,
) -> list[CreateOutcome]:
    """Create orders, each independent of the others.

    A repeat of a request with its reference returns the existing order. `replaces` maps the index of a request to the
    order that it replaces, `agreed` to terms that replace the rate card. Raises `CONFLICT` if parallel calls used the
    same references first in each attempt.
    """
    filled = await fill_items(call, await fill_addresses(call, requests))
    refused = {
        index: CreateOutcome(None, error=each) for index, each in enumerate(filled) if isinstance(each, OperationError)
    }
    if refused or any(a is not b for a, b in zip(filled, requests, strict=True)):
        return await _create_filled(call, filled, refused, replaces or {}, agreed or {})
    facts = await load_creation_facts(call, requests, copied=replaces or (), shared=agreed or ())
    outcomes: dict[int, CreateOutcome] = {}
    written: dict[int, orders_store.OrderRow] = {}
    waiting, known = dict(enumerate(requests)), dict[int, Repeat]()
    for _ in range(MAX_CREATE_ATTEMPTS):
        plan = plan_orders(call, waiting, known, facts, replaces or {}, agreed or {})
        outcomes |= plan.settled | await _repeats_among_refused(call, requests, plan, known)
        new = {
            row.tracking_number: row for row in await orders_store.insert_orders(call.work, list(plan.rows.values()))
        }
        numbers = {index: row["tracking_number"] for index, row in plan.rows.items()}
        written |= {index: new[number] for index, number in numbers.items() if number in new}
        outcomes |= {index: CreateOutcome(written[index]) for index in plan.rows if index in written}
        outcomes |= {
            index: _repeat_outcome(Repeat(written[first], differing_fields(requests[index], requests[first])))
            for index, first in plan.repeats.items()
            if first in written
        }
        waiting = {index: request for index, request in waiting.items() if index not in outcomes}
        if not waiting:
            await _write_related(call, requests, written, facts.fields)
            return [outcomes[index] for index in range(len(requests))]
        # Look for repeats only after the insert: most references are new, and the unique index detects repeats.
        known = await find_repeats(call, waiting)
    raise CONFLICT()


async def _create_filled(
    call: Call,
    filled: Sequence[CreateOrder | OperationError],
    refused: Mapping[int, CreateOutcome],
    replaces: Mapping[int, int],
    agreed: Mapping[int, AgreedTerms],
) -> list[CreateOutcome]:
    """Create the requests with resolved addresses and filled items."""
    places = [index for index in range(len(filled)) if index not in refused]
    good = [each for each in filled if isinstance(each, CreateOrder)]
    created = await create_orders(
        call,
        good,
        replaces={at: replaces[index] for at, index in enumerate(places) if index in replaces},
        agreed={at: agreed[index] for at, index in enumerate(places) if index in agreed},
    )
    outcomes = (replace(each, request=request) for request, each in zip(good, created, strict=True))
    return [refused[index] if index in refused else next(outcomes) for index in range(len(filled))]


async def _repeats_among_refused(
    call: Call, requests: Sequence[CreateOrder], plan: CreatePlan, known: Mapping[int, Repeat]
) -> dict[int, CreateOutcome]:
    """Return the refused requests that already became an order, with that order."""
    refused = {index: requests[index] for index in plan.settled if index not in known}
    return {index: _repeat_outcome(repeat) for index, repeat in (await find_repeats(call, refused)).items()}


def plan_orders(
    call: Call,
    requests: Mapping[int, CreateOrder],
    known: Mapping[int, Repeat],
    facts: CreationFacts,
    replaces: Mapping[int, int],
    agreed: Mapping[int, AgreedTerms],
) -> CreatePlan:
    """Decide what becomes of each request."""
    plan = CreatePlan({}, {}, {})
    first_index: dict[OwnerRef, int] = {}
    for index, request in requests.items():
        named = owner_ref(call, request)
        if repeat := known.get(index):
            plan.settled[index] = _repeat_outcome(repeat)
        elif named and (first := first_index.get(named)) is not None:  # the same reference twice in one call
            plan.repeats[index] = first
        else:
            try:
                if index not in agreed:  # a business that accepted an order from a partner agreed to go there
                    require_open(find_closed_ends(facts.zones, request.zoned_places))
                plan.rows[index] = _order_row(call, request, facts, agreed.get(index)) | {
                    "replaces_order_id": replaces.get(index),
                    "custom_fields": facts.fields.order_document(index),
                }
            except OperationError as error:
                plan.settled[index] = CreateOutcome(None, error=error)
            else:
                first_index |= {named: index} if named else {}
    return plan


def _repeat_outcome(repeat: Repeat) -> CreateOutcome:
    return repeat_outcome(repeat.row, repeat.row.order_ref, repeat.fields)


def repeat_outcome(row: orders_store.OrderRow | None, order_ref: str | None, differing: Sequence[str]) -> CreateOutcome:
    """Return the existing order for a repeat; `ORDER_REF_TAKEN` for another request."""
    if differing:
        return CreateOutcome(None, error=_ref_taken_error(order_ref, differing))
    return CreateOutcome(row, existing=True)


def _ref_taken_error(order_ref: str | None, fields: Sequence[str]) -> OperationError:
    """Return the error for another order's reference, naming the fields that differ."""
    return ORDER_REF_TAKEN.for_fields(
        *(FieldError(field, "field.differs_from_order") for field in fields), order_ref=order_ref
    )


ROWS_ELSEWHERE = {"packages", "items"}
"""Fields of a request whose rows are in tables of their own."""


def _order_row(call: Call, request: CreateOrder, facts: CreationFacts, agreed: AgreedTerms | None) -> dict[str, Any]:
    own = call.principal.account is Account.CUSTOMER
    customer_id = call.actor if own else request.customer_id
    if own and request.customer_id not in (None, call.actor):
        raise INVALID_REQUEST.for_fields(FieldError("customer_id", "field.customer_not_yours"))
    if customer_id is not None and customer_id not in facts.customers:
        raise INVALID_REQUEST.for_fields(FieldError("customer_id", "field.customer_unknown"))
    if request.pickup_depot_id is not None and request.pickup_depot_id not in facts.depots:
        raise INVALID_REQUEST.for_fields(FieldError("pickup_depot_id", "field.depot_unknown"))
    day = derive_order_day(request.scheduled_date, request.window_start, request.window_end, call.time_zone)
    return columns(
        orders_store.orders,
        request.model_dump(exclude=ROWS_ELSEWHERE),
        tracking_number=make_tracking_number(),
        status=OrderStatus.NEW_ORDER.value,
        third_party_held=False,
        stock_short=False,
        attempts=0,
        customer_id=customer_id,
        goods_currency=request.goods_currency
        or (None if request.goods_value_minor is None else call.business.currency),
        **_computed_columns(request),
        price=agreed.price if agreed else order_price(call, request, facts.cards),
        partner_offer_id=agreed and agreed.partner_offer_id,
        request_digest=request_digest(request),
        created_by=call.actor,
        created_at=call.now,
        updated_at=call.now,
        scheduled_date=day,
        counted_day=open_day(day, call.now, call.time_zone),
    )


def _computed_columns(request: CreateOrder) -> dict[str, Any]:
    """The columns that follow from an order's addresses and pieces."""
    return {
        **order_stop_columns(request.stop),
        "weight_g": sum(piece.weight_g for piece in request.pieces),
        "package_count": len(request.pieces),
        "search": _order_search_text(request),
    }


def order_row_values(request: CreateOrder) -> dict[str, Any]:
    """Return the columns of an order that follow from its request.

    Without the price and the owner.
    """
    document = request.model_dump(exclude={"customer_id", "order_ref", "type", "fulfilment", "custom_fields"})
    return {name: value for name, value in document.items() if name in orders_store.orders.c} | _computed_columns(
        request
    )


def order_stop_columns(stop: OrderAddress) -> dict[str, Any]:
    """The stop where the driver has to go, as columns."""
    return {
        "stop_name": stop.name,
        "stop_address": ", ".join(filter(None, (stop.address, stop.unit))),
        "stop_city": stop.city[:120],
        "stop_postal_code": stop.postal_code,
        "lat": stop.lat,
        "lng": stop.lng,
    }


def order_price(call: Call, request: CreateOrder, cards: RateCards) -> dict[str, Any]:
    """Return the price of an order by the rate card in force, or by that of its quote.

    Raises the error that prevents a price.
    """
    facts, card, quoted_at = _priced_facts(request), cards.current, None
    if request.quote_id:
        quote = read_quote_id(request.quote_id, call.client_id, call.now)
        require_quoted(quote, facts)
        quoted_at = quote.issued_at
        card = cards.in_force_at(quoted_at)
    service = next((service for service in card.services if service.code == request.service), None)
    if service is None:
        params = {"service": request.service, "known": ", ".join(known.code for known in card.services)}
        raise SERVICE_UNKNOWN.for_fields(FieldError("service", SERVICE_UNKNOWN.id, params), **params)
    priced: HaulPrice = price_haul(card, service, haul_of(card, facts, cards.zones, quoted_at))
    bought = {
        "currency": call.business.currency,
        "signature_required": request.signature_required,
        "tax_name": card.tax_name,
        "tax_basis_points": card.tax_basis_points,
    }
    return {**to_builtins(priced), **bought}


def _priced_facts(request: CreateOrder) -> PricedFacts:
    return PricedFacts(
        shipper=request.shipper.place if request.shipper else None,
        consignee=request.consignee.place if request.consignee else None,
        postal_code=priced_postal_code(request.stop.postal_code),
        weight_g=sum(piece.weight_g for piece in request.pieces),
        packages=len(request.pieces),
        cod_minor=request.cod_minor is not None,
        signature_required=request.signature_required,
        type=request.type != "D",
    )


def _order_search_text(request: CreateOrder) -> str:
    texts: list[str | None] = [request.order_ref, *request.references.values()]
    ends = [end for end in (request.shipper, request.consignee) if end]
    for end in ends:
        texts += [end.name, end.address, end.city, end.postal_code, end.email]
    return build_order_search_text(texts, [end.phone for end in ends])


async def _write_related(
    call: Call, requests: Sequence[CreateOrder], rows: Mapping[int, orders_store.OrderRow], fields: NewOrderFields
) -> None:
    """Write the related rows of new orders.

    Packages, items, the first change, timelines, keys of custom fields and events. Orders are given by the indexes of their
    requests.
    """
    written = {row.id: row for row in rows.values()}
    if not written:
        return
    packages = [
        values
        for index, row in rows.items()
        for values in package_row_values(
            requests[index],
            row.id,
            row.tracking_number,
            documents_by_piece(requests[index], fields.package_documents(index)),
        )
    ]
    items = [values for index, row in rows.items() for values in item_row_values(requests[index], row.id)]
    package_ids = await orders_store.insert_order_packages(call.work, packages)
    await insert_order_items(call.work, items)
    await orders_store.insert_order_changes(call.work, [_created_change_row(call, id) for id in written])
    count_new_orders(call, written.values())
    tracked = [
        TrackedPackage(id, row["order_id"], row["tracking_number"])
        for id, row in zip(package_ids, packages, strict=True)
    ]
    await begin_timelines(
        call,
        [_created_event(call, written[package.order_id], package) for package in tracked_packages(written, tracked)],
    )
    await _share_with_customers(call, written.values())
    documents = {row.id: row.custom_fields for row in written.values()}
    await index_new_records(call, ResourceKind.ORDER, fields.fields, documents)
    await make_delivery_pins(call, [row.id for row in written.values() if row.pin_required])
    call.add_audit_subjects("order", *written)
    with_products = {item["order_id"] for item in items if item["product_id"] is not None}
    for row in written.values():
        await call.publish(
            OrderCreated(
                order_id=row.id,
                tracking_number=row.tracking_number,
                located=row.lat is not None,
                has_products=row.id in with_products,
                is_payable=row.customer_id is not None and row.partner_offer_id is None and bool(row.price),
            )
        )


async def _share_with_customers(call: Call, rows: Iterable[orders_store.OrderRow]) -> None:
    by_customer: dict[int, list[int]] = {}
    for row in rows:
        if row.customer_id:
            by_customer.setdefault(row.customer_id, []).append(row.id)
    for customer_id, order_ids in by_customer.items():
        await set_number_owner(call, customer_id, order_ids=order_ids)


def _created_change_row(call: Call, order_id: int) -> dict[str, Any]:
    return {
        "order_id": order_id,
        "step": "create",
        "status": OrderStatus.NEW_ORDER.value,
        "at": call.now,
        "recorded_at": call.now,
        "by_user_id": call.actor,
        "reason": None,
    }


def _created_event(call: Call, row: orders_store.OrderRow, package: TrackedPackage) -> NewEvent:
    end = row.shipper
    return NewEvent(
        tracking_number=package.tracking_number,
        status_code="information_submitted",
        occurred_at=call.now,
        order_id=row.id,
        package_id=package.id,
        order_ref=row.order_ref,
        location=Location(city=end["city"], country=end["country"]) if end else None,
    )


async def check_orders(call: Call, requests: Sequence[CreateOrder]) -> list[OperationError | None]:
    """Return the error that `create_orders` would return now for each request.

    References of earlier requests count, as they do when all are created. Uses a constant number of statements.
    """
    filled = await fill_items(call, await fill_addresses(call, requests))
    errors: list[OperationError | None] = [each if isinstance(each, OperationError) else None for each in filled]
    places = [place for place, each in enumerate(filled) if isinstance(each, CreateOrder)]
    good = [each for each in filled if isinstance(each, CreateOrder)]
    for place, outcome in zip(places, await _outcomes(call, good), strict=True):
        errors[place] = outcome.error
    return errors


async def _outcomes(call: Call, requests: Sequence[CreateOrder]) -> list[CreateOutcome]:
    facts = await load_creation_facts(call, requests)
    new = dict(enumerate(requests))
    known = await find_repeats(call, new)
    plan = plan_orders(call, new, known, facts, {}, {})
    repeated = {
        index: repeat_outcome(None, requests[index].order_ref, differing_fields(requests[index], requests[first]))
        for index, first in plan.repeats.items()
    }
    created = {index: CreateOutcome(None) for index in plan.rows}
    outcomes = created | repeated | plan.settled
    return [outcomes[index] for index in new]

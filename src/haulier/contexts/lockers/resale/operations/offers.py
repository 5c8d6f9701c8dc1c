"""Operations on rental offers."""

from collections.abc import Sequence

from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.resale.actions import offers as actions
from haulier.contexts.lockers.resale.contract.offers import (
    CreateLockerOffer,
    ListLockerOffers,
    LockerOfferAnswer,
    LockerOfferDetail,
    LockerOfferList,
    LockerOfferRef,
    UpdateLockerOffer,
)
from haulier.contexts.lockers.resale.queries import get_visible_offer
from haulier.contexts.lockers.resale.rules import LOCKER_OFFER_CLOSED, LOCKER_OFFER_TERMS_REFUSED, LockerOfferStatus
from haulier.contexts.lockers.resale.serializers import offer_record
from haulier.contexts.lockers.resale.store import offers as store
from haulier.contexts.lockers.resale.store.tables import LockerOfferRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/locker-offers"
OFFER_PATH = f"{PATH}/{{locker_offer_id}}"
READERS = OFFICE | {Account.CUSTOMER}


@writes(
    "create_locker_offer",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", PATH), GraphQL("createLockerOffer")),
    errors=(NOT_FOUND,),
)
async def create_locker_offer(call: Call, request: CreateLockerOffer) -> LockerOfferAnswer:
    """Create a rental offer for compartments.

    Defines the number of compartments of a site, the terms and the price.
    """
    return await _answer(call, await actions.create_offer(call, request))


@writes(
    "update_locker_offer",
    allowed_where={"status": frozenset(LockerOfferStatus) - {LockerOfferStatus.ENDED}},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("PATCH", OFFER_PATH), GraphQL("updateLockerOffer")),
    errors=(NOT_FOUND, LOCKER_OFFER_CLOSED, LOCKER_OFFER_TERMS_REFUSED),
)
async def update_locker_offer(call: Call, request: UpdateLockerOffer) -> LockerOfferAnswer:
    """Update or suspend a rental offer.

    Existing rentals keep their terms. Extensions use the current price.
    """
    row = await get_visible_offer(call, request.locker_offer_id, lock=True)
    return await _answer(call, await actions.update_offer(call, row, request))


@writes(
    "end_locker_offer",
    allowed_where={"status": frozenset(LockerOfferStatus) - {LockerOfferStatus.ENDED}},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{OFFER_PATH}/end"), GraphQL("endLockerOffer")),
    errors=(NOT_FOUND, LOCKER_OFFER_CLOSED),
)
async def end_locker_offer(call: Call, request: LockerOfferRef) -> LockerOfferAnswer:
    """End a rental offer permanently.

    Existing rentals continue until the end of their term and can't be extended.
    """
    row = await get_visible_offer(call, request.locker_offer_id, lock=True)
    return await _answer(call, await actions.end_offer(call, row))


@reads(
    "get_locker_offer",
    audience=READERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", OFFER_PATH), GraphQL("lockerOffer")),
    errors=(NOT_FOUND,),
)
async def get_locker_offer(call: Call, request: LockerOfferRef) -> LockerOfferAnswer:
    """Retrieve a rental offer.

    Includes the number of available compartments. Customers see only open offers.
    """
    return await _answer(call, await get_visible_offer(call, request.locker_offer_id))


@reads(
    "list_locker_offers",
    audience=READERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH), GraphQL("lockerOffers")),
)
async def list_locker_offers(call: Call, request: ListLockerOffers) -> LockerOfferList:
    """List rental offers, newest first.

    Includes the number of available compartments. Customers see only open offers.
    """
    wanted = request.model_dump(include={"status", "site_id", "size"}, exclude_none=True)
    if is_customer(call):
        if wanted.get("status", LockerOfferStatus.OFFERED) != LockerOfferStatus.OFFERED:
            return LockerOfferList(total=0, page=request.page, per_page=request.per_page, offers=[])
        wanted["status"] = LockerOfferStatus.OFFERED.value
    rows, counted = await store.list_offer_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return LockerOfferList(
        **total_fields(counted), page=request.page, per_page=request.per_page, offers=await _records(call, rows)
    )


async def _records(call: Call, rows: Sequence[LockerOfferRow]) -> list[LockerOfferDetail]:
    ids = [row.id for row in rows]
    let, free = await store.count_let_boxes(call.work, ids), await store.count_free_boxes(call.work, ids)
    return [offer_record(call, row, let.get(row.id, 0), free.get(row.id, 0)) for row in rows]


async def _answer(call: Call, row: LockerOfferRow) -> LockerOfferAnswer:
    (offer,) = await _records(call, [row])
    return LockerOfferAnswer(offer=offer)

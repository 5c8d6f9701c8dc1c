"""Serializers of returns for recipients and the business."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.lockers.recipient_returns.contract import (
    DeliveryReturn,
    OfferedReason,
    OfferedReasonText,
    RecipientReturn,
    ReturnOffer,
    ReturnPlace,
    ReturnSettings,
)
from haulier.contexts.lockers.recipient_returns.queries import OpenOffer, may_cancel
from haulier.contexts.lockers.recipient_returns.rules import ReturnStatus, ReturnWay, return_status
from haulier.contexts.lockers.recipient_returns.store import RecipientReturnRow, ReturnSettingsRow
from haulier.contexts.lockers.sites.queries import get_site
from haulier.contexts.lockers.sites.rules import is_open_at
from haulier.contexts.orders.public import OrderStatus, RecipientFacts, get_recipient_facts
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record


def settings_record(row: ReturnSettingsRow) -> ReturnSettings:
    """Serialize the return settings."""
    reasons = [OfferedReason(code=each["code"], texts=each["texts"]) for each in row.reasons]
    return record(
        ReturnSettings, row, active=bool(row.active), ways=[ReturnWay(way) for way in row.ways], reasons=reasons
    )


def offer_record(call: Call, offer: OpenOffer) -> ReturnOffer:
    """Serialize the return options in the recipient's language."""
    return ReturnOffer(
        until=call.local_time(offer.until),
        ways=offer.ways,
        reasons=[_reason_text(call, each) for each in offer.settings.reasons],
        places=[
            ReturnPlace(
                site_id=site.id,
                name=site.name,
                address=site.address,
                distance_m=round(metres),
                free=free,
                open_now=is_open_at(site.opening_hours, call.now, call.time_zone),
            )
            for metres, site, free in offer.places
        ],
    )


async def delivery_return(call: Call, row: RecipientReturnRow, settings: ReturnSettingsRow | None) -> DeliveryReturn:
    """Serialize a return for its recipient."""
    order = (await get_recipient_facts(call, [row.return_order_id])).get(row.return_order_id)
    if order is None:
        raise NOT_FOUND()
    status = _status(row, order)
    site = await get_site(call, row.site_id) if row.site_id else None
    offered = {each["code"]: each for each in settings.reasons} if settings else {}
    waits = status is ReturnStatus.DROP_OFF
    return DeliveryReturn(
        tracking_number=order.tracking_number,
        way=ReturnWay(row.way),
        status=status,
        reason=_reason_text(call, offered[row.reason]) if row.reason in offered else None,
        begun_at=call.local_time(row.begun_at),
        site_name=site and site.name,
        site_address=site and site.address,
        hand_in_until=call.local_time(row.hand_in_until) if waits else None,
        can_cancel=may_cancel(row, order.status),
    )


async def return_records(call: Call, rows: Sequence[RecipientReturnRow]) -> list[RecipientReturn]:
    """Serialize returns for the business, with one more statement in total."""
    orders = await get_recipient_facts(call, [row.return_order_id for row in rows])
    return [
        record(
            RecipientReturn,
            row,
            way=ReturnWay(row.way),
            status=_status(row, orders.get(row.return_order_id)),
            tracking_number=_number(orders, row),
            locker_site_id=row.site_id,
            begun_at=call.local_time(row.begun_at),
            ended_at=call.local_time(row.ended_at),
        )
        for row in rows
    ]


def _status(row: RecipientReturnRow, order: RecipientFacts | None) -> ReturnStatus:
    known = order.status if order else OrderStatus.CANCELLED
    return return_status(row.way, row.outcome, known, handed_in=row.handed_in_at is not None)


def _number(orders: Mapping[int, RecipientFacts], row: RecipientReturnRow) -> str | None:
    order = orders.get(row.return_order_id)
    return order.tracking_number if order else None


def _reason_text(call: Call, reason: Mapping[str, Any]) -> OfferedReasonText:
    texts: Mapping[str, str] = reason["texts"]
    text = texts.get(call.language) or texts.get("en") or next(iter(texts.values()))
    return OfferedReasonText(code=reason["code"], text=text)

"""Writes of cash on delivery for other families.

Entries are posted in the transaction that writes them. Amounts due and write-offs move no money. A reversal moves
money back if the entry it reverses was posted.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.public import (
    AccountKey,
    AccountKind,
    MoneySubject,
    TransferKind,
    is_posted,
    make_posting,
    post,
)
from haulier.contexts.fleet.public import DriverRow, lock_drivers
from haulier.contexts.orders.public import get_order_facts, get_stop_contacts
from haulier.contexts.settlements.cash_on_delivery import store
from haulier.contexts.settlements.cash_on_delivery.queries import load_driver_cash
from haulier.contexts.settlements.cash_on_delivery.rules import (
    COD_NOT_REVERSIBLE,
    COD_NOTHING_OPEN,
    COD_TOO_MUCH,
    HAND_IN_NEEDS_REASON,
    OF_ORDER,
    REVERSIBLE,
    CodEntryKind,
    CodMethod,
    CodPart,
    CodPosition,
    CountedCash,
    add_up,
    count_cash,
)
from haulier.contexts.settlements.cash_on_delivery.store import CodEntryRow
from haulier.contexts.settlements.events import CashHandedIn, CodCollected, CodWrittenOff
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.money import Money

KINDS = {
    CodEntryKind.COLLECTED: TransferKind.COD_COLLECTED,
    CodEntryKind.HANDED_IN: TransferKind.COD_HANDED_IN,
    CodEntryKind.DIFFERENCE: TransferKind.COD_DIFFERENCE,
}


async def post_cod_entry(call: Call, entry: dict[str, Any], key: str, *, reverses: str | None = None) -> None:
    """Post an entry under a key, once.

    `reverses` is the key of the entry that this one reverses.
    """
    kind = CodEntryKind(entry["kind"])
    if kind not in KINDS or not entry["amount_minor"]:
        return
    if reverses is not None and not await is_posted(call, _ledger_key(reverses)):
        return  # entries older than the ledger were never posted
    debit, credit = _accounts(kind, entry)
    money = Money(entry["amount_minor"], entry["currency"])
    if money.minor < 0:
        debit, credit, money = credit, debit, -money
    order_id = entry["order_id"]
    subject = MoneySubject("order", order_id) if order_id else MoneySubject("driver", entry["driver_id"])
    await post(call, make_posting(KINDS[kind], _ledger_key(key), debit, credit, money, subject=subject))


def _ledger_key(key: str) -> str:
    return f"cod:{key}"


def _accounts(kind: CodEntryKind, entry: dict[str, Any]) -> tuple[AccountKey, AccountKey]:
    """Return the accounts to debit and to credit for a positive amount."""
    driver = AccountKey(AccountKind.DRIVER_CASH, entry["driver_id"] or 0)
    if kind is CodEntryKind.HANDED_IN:
        return AccountKey(AccountKind.CASH), driver
    if kind is CodEntryKind.DIFFERENCE:
        return driver, AccountKey(AccountKind.ADJUSTMENTS)
    customer_id = entry["customer_id"]
    theirs = AccountKey(AccountKind.COD_PAYABLE, customer_id) if customer_id else AccountKey(AccountKind.REVENUE)
    if entry["method"] != CodMethod.CASH:
        return AccountKey(AccountKind.BANK), theirs
    return driver if entry["driver_id"] else AccountKey(AccountKind.CASH), theirs


class DeliveredStop(Struct, frozen=True, kw_only=True):
    """A delivery for which money was due."""

    order_id: int
    stop_id: int
    driver_id: int | None
    contractor_id: int | None
    at: datetime


async def record_cod_due(call: Call, stop: DeliveredStop) -> bool:
    """Record the amount due for a delivered order, once per delivery.

    Return True if an amount is due.
    """
    entries = await store.list_entries_of_stop(call.work, stop.stop_id)
    if _standing(entries, CodEntryKind.DUE):
        return True
    order = (await get_order_facts(call, [stop.order_id])).get(stop.order_id)
    contacts = (await get_stop_contacts(call, [stop.order_id])).get(stop.order_id)
    if order is None or contacts is None or not contacts.terms.cod_minor:
        return False
    row = {
        **_entry(call, CodEntryKind.DUE, contacts.terms.cod_minor, stop.at),
        **_about_stop(stop),
        "customer_id": order.customer_id,
        "entry_key": f"due:{stop.stop_id}:{_deliveries_taken_back(entries)}",
    }
    await store.insert_cod_entries_once(call.work, [row])
    return True


async def record_cod_collected(call: Call, stop: DeliveredStop, parts: Sequence[CodPart], reason: str | None) -> None:
    """Record the money that a driver collected, once per delivery.

    Repeated reports of the same delivery change nothing.
    """
    if not await record_cod_due(call, stop) or not parts:
        return
    entries = await store.list_entries_of_stop(call.work, stop.stop_id)
    if _standing(entries, CodEntryKind.COLLECTED):
        return
    due = _standing(entries, CodEntryKind.DUE)[-1]
    nth = _deliveries_taken_back(entries)
    rows = [
        {
            **_entry(call, CodEntryKind.COLLECTED, part.amount_minor, stop.at, reason=reason),
            **_about_stop(stop),
            "customer_id": due.customer_id,
            "method": part.method.value,
            "entry_key": f"taken:{stop.stop_id}:{nth}:{number}",
        }
        for number, part in enumerate(parts)
    ]
    if await store.insert_cod_entries_once(call.work, rows):
        for row in rows:
            await post_cod_entry(call, row, str(row["entry_key"]))
        await _publish_collected(call, stop.order_id, stop.at)


async def record_office_payment(
    call: Call, order_id: int, method: CodMethod, amount_minor: int, reason: str | None
) -> int:
    """Record a payment received by the office. Return the entry's id.

    Raises the errors of `_lock_open_order`.
    """
    about, _ = await _lock_open_order(call, order_id, amount_minor)
    row = _entry(call, CodEntryKind.COLLECTED, amount_minor, call.now, reason=reason)
    (entry_id,) = await _write_and_post(call, [{**row, **about, "method": method.value}])
    await _publish_collected(call, order_id, call.now)
    return entry_id


async def write_off_cod(call: Call, order_id: int, amount_minor: int | None, reason: str) -> int:
    """Write off all or part of the open amount. Return the entry's id.

    Raises the errors of `_lock_open_order`.
    """
    about, position = await _lock_open_order(call, order_id, amount_minor)
    amount = position.open if amount_minor is None else amount_minor
    row = _entry(call, CodEntryKind.WRITTEN_OFF, amount, call.now, reason=reason)
    (entry_id,) = await CodEntryRow.insert_many(call.work, [{**row, **about}])
    await call.publish(CodWrittenOff(order_id=order_id, settled=amount == position.open, at=call.now))
    return entry_id


async def hand_in_cash(
    call: Call, driver: DriverRow, counted_minor: int, *, settles: bool, reason: str | None
) -> tuple[int, CountedCash]:
    """Record a count of a driver's cash. Return the expected amount and the entries.

    Raises `HAND_IN_NEEDS_REASON`.
    """
    await lock_drivers(call, [driver.id])
    expected = (await load_driver_cash(call, driver)).balance_minor
    counted = count_cash(expected, counted_minor, settles=settles)
    if counted.difference and not reason:
        currency = call.business.currency
        raise HAND_IN_NEEDS_REASON(expected=str(Money(expected, currency)), counted=str(Money(counted_minor, currency)))
    about = {"driver_id": driver.id, "contractor_id": driver.contractor_id}
    amounts = {CodEntryKind.HANDED_IN: counted.handed_in, CodEntryKind.DIFFERENCE: counted.difference}
    rows = [
        {**_entry(call, kind, amount, call.now, reason=reason), **about, "method": CodMethod.CASH.value}
        for kind, amount in amounts.items()
        if amount
    ]
    if rows:
        await _write_and_post(call, rows)
    call.add_audit_subjects("driver", driver.id)
    news = CashHandedIn(
        driver_id=driver.id,
        counted_minor=counted_minor,
        difference_minor=counted.difference,
        cash_currency=call.business.currency,
        at=call.now,
    )
    await call.publish(news)
    return expected, counted


async def reverse_cod_entry(call: Call, entry_id: int, reason: str) -> int:
    """Reverse an entry with one of the opposite amount. Return the reversal's id.

    Raises `NOT_FOUND`, or `COD_NOT_REVERSIBLE` for amounts due, for reversals and for entries already reversed.
    """
    entry = await CodEntryRow.get(call.work, entry_id)
    if entry is None:
        raise record_not_found(entry_id=entry_id)
    if entry.kind not in REVERSIBLE or entry.reverses_id is not None:
        raise COD_NOT_REVERSIBLE(entry_id=entry_id)
    try:
        async with call.savepoint():
            (reversal_id,) = await _reverse(call, [entry], reason)
    except UniqueConflict:
        raise COD_NOT_REVERSIBLE(entry_id=entry_id) from None
    if entry.order_id is not None:
        call.add_audit_subjects("order", entry.order_id)
    return reversal_id


async def reverse_cod_of_stop(call: Call, stop_id: int, reason: str) -> None:
    """Reverse all entries of a delivery that did not take place."""
    entries = await store.list_entries_of_stop(call.work, stop_id)
    if standing := _standing(entries):
        await _reverse(call, standing, reason)


async def _write_and_post(call: Call, rows: Sequence[dict[str, Any]]) -> list[int]:
    """Insert entries without a key and post them. Return their ids."""
    ids = await CodEntryRow.insert_many(call.work, rows)
    for entry_id, row in zip(ids, rows, strict=True):
        await post_cod_entry(call, row, str(entry_id))
    return ids


async def _reverse(call: Call, entries: Sequence[CodEntryRow], reason: str) -> list[int]:
    """Reverse entries, in the ledger too. Return the ids of the reversals."""
    rows = [_reversal(call, entry, reason) for entry in entries]
    ids = await CodEntryRow.insert_many(call.work, rows)
    for entry_id, entry, row in zip(ids, entries, rows, strict=True):
        await post_cod_entry(call, row, str(entry_id), reverses=entry.entry_key or str(entry.id))
    return ids


async def reverse_cod_of_orders(call: Call, order_ids: Collection[int], reason: str) -> None:
    """Reverse all entries about the deliveries of these orders."""
    entries = await store.list_entries_of_orders(call.work, order_ids)
    for stop_id in sorted({entry.stop_id for entry in entries if entry.stop_id is not None}):
        await reverse_cod_of_stop(call, stop_id, reason)


def _standing(entries: Sequence[CodEntryRow], *kinds: CodEntryKind) -> list[CodEntryRow]:
    """Return the entries that no other entry reverses, optionally of some kinds."""
    reversed_ids = {entry.reverses_id for entry in entries}
    standing = [entry for entry in entries if entry.reverses_id is None and entry.id not in reversed_ids]
    return [entry for entry in standing if not kinds or entry.kind in kinds]


def _deliveries_taken_back(entries: Sequence[CodEntryRow]) -> int:
    """Return the number of reversed deliveries at a stop. Each allows another one."""
    return sum(entry.kind == CodEntryKind.DUE and entry.reverses_id is not None for entry in entries)


def _reversal(call: Call, entry: CodEntryRow, reason: str) -> dict[str, Any]:
    kept = ("order_id", "stop_id", "customer_id", "contractor_id", "driver_id", "method", "day")
    return {
        **_entry(call, CodEntryKind(entry.kind), -entry.amount_minor, call.now, reason=reason),
        **{name: getattr(entry, name) for name in kept},
        "reverses_id": entry.id,
    }


async def _lock_open_order(call: Call, order_id: int, amount_minor: int | None) -> tuple[dict[str, Any], CodPosition]:
    """Lock an order. Return the common values of its entries and its open amount.

    Raises `NOT_FOUND`, `COD_NOTHING_OPEN`, or `COD_TOO_MUCH` if the amount exceeds what is open.
    """
    if order_id not in await get_order_facts(call, [order_id], lock=True):
        raise record_not_found(order_id=order_id)
    entries = await store.list_entries_of_orders(call.work, [order_id])
    position = add_up(entries)
    if position.open <= 0:
        raise COD_NOTHING_OPEN(order_id=order_id)
    if amount_minor is not None and amount_minor > position.open:
        raise COD_TOO_MUCH(order_id=order_id, open=str(Money(position.open, call.business.currency)))
    call.add_audit_subjects("order", order_id)
    due = next(entry for entry in entries if entry.kind in OF_ORDER)
    about = {"order_id": order_id, "customer_id": due.customer_id, "contractor_id": due.contractor_id}
    return about, position


def _about_stop(stop: DeliveredStop) -> dict[str, Any]:
    return {
        "order_id": stop.order_id,
        "stop_id": stop.stop_id,
        "driver_id": stop.driver_id,
        "contractor_id": stop.contractor_id,
    }


def _entry(
    call: Call, kind: CodEntryKind, amount_minor: int, at: datetime, *, reason: str | None = None
) -> dict[str, Any]:
    return {
        "entry_key": None,
        "kind": kind.value,
        "order_id": None,
        "stop_id": None,
        "customer_id": None,
        "contractor_id": None,
        "driver_id": None,
        "day": at.astimezone(call.time_zone).date(),
        "method": None,
        "amount_minor": amount_minor,
        "currency": call.business.currency,
        "reason": reason,
        "reverses_id": None,
        "at": at,
        "recorded_at": call.now,
        "by_user_id": call.actor,
    }


async def _publish_collected(call: Call, order_id: int, at: datetime) -> None:
    position = add_up(await store.list_entries_of_orders(call.work, [order_id]))
    await call.publish(CodCollected(order_id=order_id, settled=position.open == 0, at=at))

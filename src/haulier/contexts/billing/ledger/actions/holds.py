"""Holds on a wallet, which are captured or released."""

from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.ledger.actions.postings import (
    ATTEMPTS,
    Posted,
    find_repeated,
    insufficient,
    post,
    wallet_of,
)
from haulier.contexts.billing.ledger.rules import (
    HOLD_ENDED,
    HOLD_TOO_SMALL,
    LEDGER_KEY_REUSED,
    AccountKey,
    AccountKind,
    HoldStatus,
    MoneySubject,
    TransferKind,
    digest_of,
    make_posting,
    require_key,
)
from haulier.contexts.billing.ledger.store import accounts as account_store
from haulier.contexts.billing.ledger.store import holds as store
from haulier.contexts.billing.ledger.store.tables import HoldRow, subject_of
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.money import Money

EXPIRE_HOLD_JOB = "expire_credit_hold"


class Hold(Struct, frozen=True, kw_only=True):
    """Hold on a customer's wallet, open or ended."""

    id: int
    customer_id: int
    money: Money
    status: HoldStatus
    captured: Money
    subject: MoneySubject | None
    expires_at: datetime | None


class HoldBody(Struct, frozen=True, kw_only=True):
    """Contents of a hold besides its key.

    The expiry is excluded, because it moves when a call is repeated.
    """

    customer_id: int
    money: Money
    subject: MoneySubject
    key: str = ""


async def hold_credit(
    call: Call, customer_id: int, money: Money, *, key: str, subject: MoneySubject, expires_at: datetime | None = None
) -> Hold:
    """Reserve part of a customer's wallet until the hold ends, once per key.

    An uncaptured hold is released at `expires_at`. A repeated call returns the hold in its current state. Raises
    `CREDIT_INSUFFICIENT`, or `LEDGER_KEY_REUSED` if the key was used for something else.
    """
    require_key(key)
    if money.minor <= 0:
        raise ValueError(f"{money} cannot be held")
    values: dict[str, Any] = {
        "key": key,
        "digest": digest_of(HoldBody(customer_id=customer_id, money=money, subject=subject), without="key"),
        "customer": customer_id,
        "currency": money.currency,
        "amount": money.minor,
        "subject_kind": subject.kind,
        "subject_id": subject.id,
        "price_family": subject.family,
        "expires_at": expires_at,
        "at": call.now,
    }
    for _ in range(ATTEMPTS):
        hold_id = await store.insert_hold(call.work, **values)
        if hold_id is not None:
            if expires_at is not None:
                await call.enqueue(EXPIRE_HOLD_JOB, ExpireCreditHold(hold_id), run_at=expires_at)
            return hold_of(await _require(call, hold_id))
        if before := await store.get_hold_by_key(call.work, key):
            if before.digest != values["digest"]:
                raise LEDGER_KEY_REUSED(key=key)
            return hold_of(before)
        if refusal := await _refusal(call, customer_id, money):
            raise refusal
    raise TransactionRetry("the wallet changes faster than it is read")


async def capture_hold(
    call: Call,
    hold_id: int,
    money: Money | None = None,
    *,
    key: str,
    to: AccountKind = AccountKind.REVENUE,
    reason: str | None = None,
) -> Posted:
    """Capture all or part of a hold and release the rest. A hold ends once.

    Raises `NOT_FOUND`, `HOLD_ENDED`, `HOLD_TOO_SMALL` for more than was held, and `LEDGER_KEY_REUSED`.
    """
    hold = await _require(call, hold_id, lock=True)
    money = money or Money(hold.amount_minor, hold.currency)
    if money.currency != hold.currency or money.minor > hold.amount_minor:
        raise HOLD_TOO_SMALL(hold_id=hold_id, held=str(Money(hold.amount_minor, hold.currency)))
    posting = make_posting(
        TransferKind.CAPTURE,
        key,
        wallet_of(hold.customer_id),
        AccountKey(to),
        money,
        subject=subject_of(hold),
        reason=reason,
        hold_id=hold_id,
    )
    if hold.status != HoldStatus.HELD:
        if before := await find_repeated(call, posting):
            return before
        raise HOLD_ENDED(hold_id=hold_id)
    posted = await post(call, posting, released=hold.amount_minor)
    await store.end_hold(call.work, hold, HoldStatus.CAPTURED, captured=money.minor, at=call.now)
    return posted


async def void_hold(call: Call, hold_id: int) -> Hold:
    """Release a hold. Releasing it again changes nothing.

    Raises `NOT_FOUND`, or `HOLD_ENDED` if it was captured; refund it instead.
    """
    hold = await _require(call, hold_id, lock=True)
    if hold.status == HoldStatus.CAPTURED:
        raise HOLD_ENDED(hold_id=hold_id)
    if hold.status == HoldStatus.HELD:
        await _give_back(call, hold, HoldStatus.VOIDED)
    return hold_of(await _require(call, hold_id))


class ExpireCreditHold(Struct):
    """Hold to release when it expires."""

    hold_id: int


async def expire_hold(call: Call, hold_id: int) -> None:
    """Release a hold that has expired."""
    hold = await store.get_hold(call.work, hold_id, lock=True)
    if hold is not None and hold.status == HoldStatus.HELD:
        await _give_back(call, hold, HoldStatus.EXPIRED)


async def _give_back(call: Call, hold: HoldRow, status: HoldStatus) -> None:
    await store.end_hold(call.work, hold, status, captured=0, at=call.now)
    await store.release_promise(call.work, hold)


async def _require(call: Call, hold_id: int, *, lock: bool = False) -> HoldRow:
    hold = await store.get_hold(call.work, hold_id, lock=lock)
    if hold is None:
        raise record_not_found(hold_id=hold_id)
    return hold


async def _refusal(call: Call, customer_id: int, money: Money) -> Exception | None:
    """Return the error for a failed reservation, or None if it can succeed now."""
    for wallet in await account_store.list_accounts_of_owner(call.work, AccountKind.WALLET, customer_id):
        if wallet.currency == money.currency:
            free = wallet.balance_minor - wallet.held_minor - (wallet.floor_minor or 0)
            return insufficient(call, money, wallet) if money.minor > free else None
    return insufficient(call, money)


def hold_of(row: HoldRow) -> Hold:
    """Return a hold in its public form."""
    return Hold(
        id=row.id,
        customer_id=row.customer_id,
        money=Money(row.amount_minor, row.currency),
        status=HoldStatus(row.status),
        captured=Money(row.captured_minor, row.currency),
        subject=subject_of(row),
        expires_at=row.expires_at,
    )

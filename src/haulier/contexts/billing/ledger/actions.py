"""Writes of the ledger for other families."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from msgspec import Struct, structs

from haulier.contexts.billing.ledger.rules import (
    BALANCE_MAX,
    BALANCE_OUT_OF_RANGE,
    CREDIT_IN_USE,
    CREDIT_INSUFFICIENT,
    HOLD_ENDED,
    HOLD_TOO_SMALL,
    LEDGER_KEY_REUSED,
    REFUND_TOO_MUCH,
    REFUNDABLE,
    AccountKey,
    AccountKind,
    ChargeDetails,
    HoldStatus,
    MoneySubject,
    Posting,
    TransferKind,
    digest_of,
    line_values,
    make_posting,
    require_key,
)
from haulier.contexts.billing.ledger.store import accounts as account_store
from haulier.contexts.billing.ledger.store import holds as holds_store
from haulier.contexts.billing.ledger.store import postings as store
from haulier.contexts.billing.ledger.store.lines import ChargeLineRow
from haulier.contexts.billing.ledger.store.tables import AccountRow, HoldRow, TransferRow, left_of, subject_of
from haulier.contexts.billing.taxes.queries import taxes_for
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.i18n.languages import phrase
from haulier.kernel.operations.errors import OperationError, record_not_found
from haulier.kernel.values.money import Money

ATTEMPTS = 5
"""Maximum number of attempts for a posting that was refused for a reason that no longer holds."""


class Posted(Struct, frozen=True, kw_only=True):
    """Recorded ledger transfer."""

    transfer_id: int
    repeated: bool
    """If true, the same transfer was already recorded under the same key."""


class LockedCharge(Struct, frozen=True, kw_only=True):
    """Locked charge with its refundable amount."""

    row: TransferRow

    @property
    def id(self) -> int:
        """Return the transfer's id."""
        return self.row.id

    @property
    def currency(self) -> str:
        """Return the currency of the charge."""
        return self.row.currency

    @property
    def left_minor(self) -> int:
        """Return the refundable amount in minor units."""
        return left_of(self.row)


class Refund(Posted, frozen=True, kw_only=True):
    """Transfer that refunds all or part of a charge."""

    minor: int


async def post(call: Call, posting: Posting, *, released: int = 0, beyond_limit: bool = False) -> Posted:
    """Move money once per key within the caller's transaction.

    Accounts are opened on first use. `beyond_limit` allows a debit below the floor of the account. Raises
    `LEDGER_KEY_REUSED` if the key was used for something else, `CREDIT_INSUFFICIENT`, `BALANCE_OUT_OF_RANGE` and
    `REFUND_TOO_MUCH`. Nothing is written in these cases, and the caller's transaction can continue.
    """
    for _ in range(ATTEMPTS):
        inserted = await store.insert_posting(
            call.work, posting, at=call.now, by=call.actor, released=released, beyond_limit=beyond_limit
        )
        if inserted is not None:
            return Posted(transfer_id=inserted, repeated=False)
        if before := await find_repeated(call, posting):
            return before
        found = await store.list_accounts_of_posting(call.work, posting)
        if len(found) < len(sides := (posting.debit, posting.credit)):
            await account_store.open_accounts(call.work, sides, posting.money.currency, call.now)
        elif refusal := await _posting_refusal(call, posting, found, released, beyond_limit=beyond_limit):
            raise refusal
        # A concurrent call removed the obstacle, so try again.
    raise TransactionRetry("the accounts change faster than they are read")


@contextmanager
def naming_reference(reference: str) -> Generator[None]:
    """Name the caller's reference in `LEDGER_KEY_REUSED` instead of the derived key."""
    try:
        yield
    except OperationError as error:
        if error.error_type is LEDGER_KEY_REUSED:
            raise LEDGER_KEY_REUSED(key=reference) from None
        raise


async def find_repeated(call: Call, posting: Posting) -> Posted | None:
    """Return the transfer recorded under a posting's key, or None.

    Raises `LEDGER_KEY_REUSED` if its contents differ.
    """
    before = await store.get_transfer_by_key(call.work, posting.key)
    if before is None:
        return None
    if before.digest != posting.digest:
        raise LEDGER_KEY_REUSED(key=posting.key)
    return Posted(transfer_id=before.id, repeated=True)


async def _posting_refusal(
    call: Call, posting: Posting, found: Sequence[AccountRow], released: int, *, beyond_limit: bool
) -> Exception | None:
    """Return the error for a refused posting, or None if it can succeed now."""
    money = posting.money
    debit, credit = sorted(found, key=lambda account: account.kind != posting.debit.kind)
    free = debit.balance_minor - debit.held_minor + released
    limited = debit.floor_minor is not None and not beyond_limit and released < money.minor
    if limited and free - money.minor < (debit.floor_minor or 0):
        return insufficient(call, money, debit)
    if debit.balance_minor - money.minor < -BALANCE_MAX or credit.balance_minor + money.minor > BALANCE_MAX:
        return BALANCE_OUT_OF_RANGE(amount=str(money))
    if posting.refund_of is not None:
        given = await store.get_transfer(call.work, posting.refund_of)
        if given is None:
            return record_not_found(transfer_id=posting.refund_of)
        if money.minor > left_of(given):
            return _too_much(given)
    return None


def _too_much(given: TransferRow) -> Exception:
    return REFUND_TOO_MUCH(transfer_id=given.id, left=str(Money(left_of(given), given.currency)))


def insufficient(call: Call, money: Money, wallet: AccountRow | None = None) -> Exception:
    """Return `CREDIT_INSUFFICIENT`, with the available amount if it is not hidden.

    It is hidden from callers who may not see prices, because it is a sum of prices.
    """
    if call.principal.hidden_prices:
        return CREDIT_INSUFFICIENT(amount=str(money), available=phrase("credit_funds"))
    available = wallet.balance_minor - wallet.held_minor - (wallet.floor_minor or 0) if wallet else 0
    return CREDIT_INSUFFICIENT(amount=str(money), available=str(Money(available, money.currency)))


def wallet_of(customer_id: int) -> AccountKey:
    """Return a customer's wallet."""
    return AccountKey(AccountKind.WALLET, customer_id)


async def charge(
    call: Call,
    customer_id: int,
    money: Money,
    *,
    key: str,
    subject: MoneySubject,
    to: AccountKind = AccountKind.REVENUE,
    reason: str | None = None,
    line: ChargeDetails | None = None,
    beyond_limit: bool = False,
) -> Posted:
    """Charge a customer's wallet in full.

    `line` describes the charge on invoices and has its taxes. Taxes are added to `money` if the prices of the business
    do not include them.
    `beyond_limit` charges a rendered service whatever the credit limit. Raises as `post` does.
    """
    taxed, line = await _with_taxes(call, customer_id, money, line)
    posting = make_posting(
        TransferKind.CHARGE,
        key,
        wallet_of(customer_id),
        AccountKey(to),
        taxed,
        subject=subject,
        reason=reason,
        price=money,
    )
    posted = await post(call, posting, beyond_limit=beyond_limit)
    await _insert_line(call, posted, line)
    return posted


async def _with_taxes(
    call: Call, customer_id: int, money: Money, line: ChargeDetails | None, *, is_total: bool = False
) -> tuple[Money, ChargeDetails | None]:
    """Return the amount of a charge and its line, with the taxes of the business.

    A charge that states its taxes keeps them. `is_total` is true if `money` contains them already.
    """
    if line is None or line.taxes is not None:
        return money, line
    found = await taxes_for(
        call,
        customer_id,
        money.minor,
        line.product_class,
        place=line.place,
        on=line.serviced_on,
        is_total=is_total,
    )
    if found is None:
        return money, line
    taxed = structs.replace(line, taxes=found.taxes, exemption=found.exemption)
    return Money(found.gross_minor, money.currency), taxed


async def _insert_line(call: Call, posted: Posted, line: ChargeDetails | None) -> None:
    if line is not None and not posted.repeated:
        await ChargeLineRow.insert(call.work, **line_values(posted.transfer_id, line))


async def lock_refundable(call: Call, transfer_id: int) -> LockedCharge:
    """Lock and return a charge, a capture or a carrier cost.

    Raises `NOT_FOUND` for other transfers.
    """
    given = await store.get_transfer(call.work, transfer_id, lock=True)
    if given is None or given.kind not in REFUNDABLE:
        raise record_not_found(transfer_id=transfer_id)
    return LockedCharge(row=given)


async def lock_refunded(call: Call, transfer_ids: Sequence[int]) -> dict[int, int]:
    """Lock transfers and return the refundable amount of each in minor units."""
    return {row.id: left_of(row) for row in await store.lock_transfers(call.work, transfer_ids)}


async def count_refunded(call: Call, given: Mapping[int, int]) -> None:
    """Count amounts as refunded, by transfer, if the caller posts the money itself.

    The transfers must be locked.
    """
    await store.add_refunded(call.work, given)


async def find_refund(call: Call, transfer_id: int, key: str) -> Refund | None:
    """Return the refund that was posted under a key, or None.

    Raises `LEDGER_KEY_REUSED` if the key refunded another transfer.
    """
    before = await store.get_transfer_by_key(call.work, key)
    if before is None:
        return None
    if before.refund_of != transfer_id:
        raise LEDGER_KEY_REUSED(key=key)
    return Refund(transfer_id=before.id, repeated=True, minor=before.amount_minor)


async def post_refund(
    call: Call, charge: LockedCharge, money: Money | None = None, *, key: str, reason: str | None = None
) -> Refund:
    """Refund all or part of what is left of a locked transfer.

    Raises `REFUND_TOO_MUCH` and the errors of `post`.
    """
    given = charge.row
    if money is None:
        before = await store.get_transfer_by_key(call.work, key)
        money = Money(before.amount_minor if before else left_of(given), given.currency)
    if not money.minor or money.currency != given.currency:
        raise _too_much(given)
    debit, credit = await account_store.get_account_keys(call.work, given.credit_account_id, given.debit_account_id)
    subject = subject_of(given)
    posting = make_posting(
        TransferKind.REFUND, key, debit, credit, money, subject=subject, reason=reason, refund_of=given.id
    )
    posted = await post(call, posting)
    if not posted.repeated:
        await store.add_refunded(call.work, {given.id: money.minor})
    return Refund(transfer_id=posted.transfer_id, repeated=posted.repeated, minor=money.minor)


async def record_carrier_cost(call: Call, money: Money, *, key: str, subject: MoneySubject) -> Posted:
    """Record a carrier cost, such as a purchased label.

    `give_back` reverses it when the label is voided.
    """
    costs, payable = AccountKey(AccountKind.CARRIER_COSTS), AccountKey(AccountKind.CARRIER_PAYABLE)
    return await post(call, make_posting(TransferKind.CARRIER_COST, key, costs, payable, money, subject=subject))


async def top_up(
    call: Call,
    customer_id: int,
    money: Money,
    *,
    key: str,
    paid_into: AccountKind = AccountKind.BANK,
    subject: MoneySubject | None = None,
    reason: str | None = None,
) -> Posted:
    """Add a customer's payment to their wallet, once per key. Raises as `post` does."""
    posting = make_posting(
        TransferKind.TOP_UP, key, AccountKey(paid_into), wallet_of(customer_id), money, subject=subject, reason=reason
    )
    return await post(call, posting)


async def adjust(call: Call, customer_id: int, money: Money, *, key: str, reason: str) -> Posted:
    """Correct a wallet by a positive or negative amount. Raises as `post` does."""
    sides = (AccountKey(AccountKind.ADJUSTMENTS), wallet_of(customer_id))
    debit, credit = sides if money.minor > 0 else sides[::-1]
    amount = Money(abs(money.minor), money.currency)
    return await post(call, make_posting(TransferKind.ADJUSTMENT, key, debit, credit, amount, reason=reason))


async def set_credit_limit(call: Call, customer_id: int, limit: Money) -> None:
    """Set a wallet's credit limit. Raises `CREDIT_IN_USE` if it is exceeded now.

    Holds count as used credit.
    """
    wallet = wallet_of(customer_id)
    await account_store.open_accounts(call.work, [wallet], limit.currency, call.now)
    if await account_store.set_floor(call.work, customer_id, limit.currency, -limit.minor):
        return
    rows = await account_store.list_accounts_of_owner(call.work, wallet.kind, customer_id)
    used = next(row.held_minor - row.balance_minor for row in rows if row.currency == limit.currency)
    raise CREDIT_IN_USE(used=str(Money(used, limit.currency)))


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
    call: Call,
    customer_id: int,
    money: Money,
    *,
    key: str,
    subject: MoneySubject,
    expires_at: datetime | None = None,
    line: ChargeDetails | None = None,
) -> Hold:
    """Reserve part of a customer's wallet until the hold ends, once per key.

    `line` describes the later charge, whose taxes are held too if prices do not include them.

    An uncaptured hold is released at `expires_at`. A repeated call returns the hold in its current state. Raises
    `CREDIT_INSUFFICIENT`, or `LEDGER_KEY_REUSED` if the key was used for something else.
    """
    require_key(key)
    if money.minor <= 0:
        raise ValueError(f"{money} cannot be held")
    digest = digest_of(HoldBody(customer_id=customer_id, money=money, subject=subject), without=("key",))
    money, _ = await _with_taxes(call, customer_id, money, line)
    values: dict[str, Any] = {
        "key": key,
        "digest": digest,
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
        hold_id = await holds_store.insert_hold(call.work, **values)
        if hold_id is not None:
            if expires_at is not None:
                await call.enqueue(EXPIRE_HOLD_JOB, ExpireCreditHold(hold_id), run_at=expires_at)
            return hold_of(await _require(call, hold_id))
        if before := await holds_store.get_hold_by_key(call.work, key):
            if before.digest != values["digest"]:
                raise LEDGER_KEY_REUSED(key=key)
            return hold_of(before)
        if refusal := await _hold_refusal(call, customer_id, money):
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
    line: ChargeDetails | None = None,
) -> Posted:
    """Capture all or part of a hold and release the rest. A hold ends once.

    `line` describes the charge, as in `charge`. The amount includes its taxes.

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
    await holds_store.end_hold(call.work, hold, HoldStatus.CAPTURED, captured=money.minor, at=call.now)
    if not posted.repeated:
        _, line = await _with_taxes(call, hold.customer_id, money, line, is_total=True)
        await _insert_line(call, posted, line)
    return posted


async def void_hold(call: Call, hold_id: int) -> Hold:
    """Release a hold. Releasing it again changes nothing.

    Raises `NOT_FOUND`, or `HOLD_ENDED` if it was captured; refund it instead.
    """
    hold = await _require(call, hold_id, lock=True)
    if hold.status == HoldStatus.CAPTURED:
        raise HOLD_ENDED(hold_id=hold_id)
    if hold.status == HoldStatus.HELD:
        await _refund_part(call, hold, HoldStatus.VOIDED)
    return hold_of(await _require(call, hold_id))


class ExpireCreditHold(Struct):
    """Hold to release when it expires."""

    hold_id: int


async def expire_hold(call: Call, hold_id: int) -> None:
    """Release a hold that has expired."""
    hold = await holds_store.get_hold(call.work, hold_id, lock=True)
    if hold is not None and hold.status == HoldStatus.HELD:
        await _refund_part(call, hold, HoldStatus.EXPIRED)


async def _refund_part(call: Call, hold: HoldRow, status: HoldStatus) -> None:
    await holds_store.end_hold(call.work, hold, status, captured=0, at=call.now)
    await holds_store.release_promise(call.work, hold)


async def _require(call: Call, hold_id: int, *, lock: bool = False) -> HoldRow:
    hold = await holds_store.get_hold(call.work, hold_id, lock=lock)
    if hold is None:
        raise record_not_found(hold_id=hold_id)
    return hold


async def _hold_refusal(call: Call, customer_id: int, money: Money) -> Exception | None:
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

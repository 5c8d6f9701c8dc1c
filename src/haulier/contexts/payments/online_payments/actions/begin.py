"""A payment is begun: one of an order at a time."""

from secrets import token_hex

from haulier.contexts.payments.online_payments import store
from haulier.contexts.payments.online_payments.actions.work import FOLLOW_PAYMENT_JOB, FollowPayment
from haulier.contexts.payments.online_payments.rules import PaymentPurpose, PaymentStatus, follow_pause
from haulier.contexts.payments.online_payments.store import PaymentRow
from haulier.contexts.payments.ports import ProviderUnavailable
from haulier.contexts.payments.provider_accounts.queries import open_provider, require_active_account
from haulier.contexts.payments.provider_accounts.rules import ONLINE_PAYMENT_OFF
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import CONFLICT, INVALID_REQUEST, FieldError
from haulier.kernel.values.money import Money


async def begin_payment(
    call: Call,
    customer_id: int,
    purpose: PaymentPurpose,
    subject_id: int | None,
    money: Money,
    family: PriceFamily | None,
    *,
    by_link: bool = False,
) -> tuple[int, bool]:
    """Begin a payment. Returns its id, and whether it was open already.

    Raises `ONLINE_PAYMENT_OFF`, `INVALID_REQUEST` for an amount that the provider does not take, and `CONFLICT` where a
    payment of another amount is open.
    """
    account = await require_active_account(call.work)
    try:
        payable = open_provider(call.app, account).takes(money)
    except ProviderUnavailable:
        raise ONLINE_PAYMENT_OFF() from None
    if not payable:
        raise INVALID_REQUEST.for_fields(FieldError("amount_minor", "field.amount_not_payable"))
    values = {
        "customer_id": customer_id,
        "purpose": purpose.value,
        "subject_id": subject_id,
        "price_family": family and family.value,
        "status": PaymentStatus.CREATING.value,
        "open": True,
        "amount_minor": money.minor,
        "refunded_minor": 0,
        "disputed_minor": 0,
        "currency": money.currency,
        "by_link": by_link,
        "key": f"haulier-{token_hex(12)}",
        "created_at": call.now,
    }
    try:
        async with call.savepoint():
            payment_id = await PaymentRow.insert(call.work, **values)
    except UniqueConflict:
        before = await store.get_open_payment(call.work, purpose.value, subject_id or 0)
        if before is None or before.amount_minor != money.minor:
            raise CONFLICT() from None
        if by_link and not before.by_link:
            await PaymentRow.update(call.work, before.id, {"by_link": True})
        return before.id, True
    call.add_audit_subjects("online_payment", payment_id)
    await call.enqueue(FOLLOW_PAYMENT_JOB, FollowPayment(payment_id), run_at=call.now + follow_pause(0))
    return payment_id, False

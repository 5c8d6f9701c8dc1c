"""Reads of payouts for other layers."""

from collections.abc import Collection, Iterable

from haulier.contexts.fleet.public import get_driver_rows
from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.settlements.pay.rules import Payee, PayeeKind
from haulier.contexts.settlements.payouts.store import PayoutRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found


def own_payee(call: Call) -> Payee | None:
    """Return the calling contractor, or None for the office."""
    if call.principal.account is not Account.CONTRACTOR or call.actor is None:
        return None
    return Payee(PayeeKind.CONTRACTOR, call.actor)


async def get_visible_payout(call: Call, payout_id: int, *, lock: bool = False) -> PayoutRow:
    """Return a payout. Contractors see their own.

    Raises `NOT_FOUND`.
    """
    row = await (PayoutRow.lock if lock else PayoutRow.get)(call.work, payout_id)
    own = own_payee(call)
    if row is None or (own and (row.payee_kind, row.payee_id) != (own.kind, own.id)):
        raise record_not_found(payout_id=payout_id)
    return row


async def lock_payouts(call: Call, payout_ids: Collection[int]) -> list[PayoutRow]:
    """Return payouts by id, locked until the transaction ends.

    Raises `NOT_FOUND` for the first unknown one.
    """
    rows = await PayoutRow.lock_many(call.work, set(payout_ids))
    for payout_id in payout_ids:
        if payout_id not in rows:
            raise record_not_found(payout_id=payout_id)
    return [rows[id] for id in sorted(rows)]


async def load_payee_names(call: Call, payees: Iterable[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """Return the names of payees by kind and id. Two statements in total."""
    known = set(payees)
    driver_ids = {id for kind, id in known if kind == PayeeKind.DRIVER}
    drivers = await get_driver_rows(call, driver_ids) if driver_ids else {}
    user_ids = sorted({id for kind, id in known if kind == PayeeKind.CONTRACTOR})
    users = await get_users_by_id(call, user_ids) if user_ids else {}
    return {
        (kind, id): found.name if (found := (drivers if kind == PayeeKind.DRIVER else users).get(id)) else f"#{id}"
        for kind, id in known
    }

"""What customers have, and what stands in the ledger."""

from collections.abc import Sequence

from msgspec import Struct

from haulier.contexts.billing.ledger.rules import AccountKind
from haulier.contexts.billing.ledger.store import accounts as store
from haulier.contexts.billing.ledger.store.checks import list_faults
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.money import Money


class Credit(Struct, frozen=True, kw_only=True):
    """What a customer has with the business in one currency."""

    customer_id: int
    balance: Money
    """Below zero: what they owe within their limit."""
    held: Money
    limit: Money
    """How far the balance may fall below zero."""

    @property
    def available(self) -> Money:
        """What can be spent: the balance and the limit, less what is held."""
        return self.balance + self.limit - self.held


async def list_credits(call: Call, customer_id: int) -> Sequence[Credit]:
    """A customer's credit in each currency they ever had any in, by currency."""
    rows = await store.list_accounts_of_owner(call.work, AccountKind.WALLET, customer_id)
    return [
        Credit(
            customer_id=customer_id,
            balance=Money(row.balance_minor, row.currency),
            held=Money(row.held_minor, row.currency),
            limit=Money(-(row.floor_minor or 0), row.currency),
        )
        for row in rows
    ]


async def balance_of(call: Call, customer_id: int, currency: str | None = None) -> Credit:
    """A customer's credit in a currency, by default that of the business; nothing where they never had any."""
    currency = currency or call.business.currency
    for credit in await list_credits(call, customer_id):
        if credit.balance.currency == currency:
            return credit
    nothing = Money(0, currency)
    return Credit(customer_id=customer_id, balance=nothing, held=nothing, limit=nothing)


async def check_ledger(work: UnitOfWork) -> list[str]:
    """What is wrong with the ledger of a client, one line for each record; empty where everything holds."""
    return [
        f"{rule}: record {row.id} says {row.found}, the others say {row.expected}"
        for rule, rows in (await list_faults(work)).items()
        for row in rows
    ]

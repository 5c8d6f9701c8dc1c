"""Weekly pay statements."""

from datetime import date
from itertools import groupby

from haulier.contexts.settlements.pay import store
from haulier.contexts.settlements.pay.contract import PayStatement, StatementSum
from haulier.contexts.settlements.pay.rules import EarningKind, Payee, week_of
from haulier.contexts.settlements.pay.serializers import earning_record
from haulier.kernel.call import Call


async def load_statement(call: Call, payee: Payee, name: str, day: date) -> PayStatement:
    """Return the statement of the week that contains a day."""
    monday, sunday = week_of(day)
    rows = await store.list_earnings_between(call.work, payee.kind.value, payee.id, monday, sunday)
    lines = [earning_record(call, row) for row in rows]
    by_kind = groupby(sorted(lines, key=lambda line: line.kind), key=lambda line: line.kind)
    return PayStatement(
        payee_kind=payee.kind,
        payee_id=payee.id,
        payee_name=name,
        monday=monday,
        sunday=sunday,
        currency=call.business.currency,
        total_minor=sum(line.amount_minor for line in lines),
        sums=[
            StatementSum(
                kind=EarningKind(kind),
                count=len(of_kind),
                quantity=sum(line.quantity for line in of_kind),
                amount_minor=sum(line.amount_minor for line in of_kind),
            )
            for kind, group in by_kind
            for of_kind in [list(group)]
        ],
        lines=lines,
    )

"""Rows of payouts as answers and documents."""

from collections.abc import Sequence
from datetime import date

from babel.dates import format_date

from haulier.contexts.identity.public import require_client
from haulier.contexts.settlements.pay.rules import METRES_PER_KM, EarningKind, PayeeKind
from haulier.contexts.settlements.payouts import store
from haulier.contexts.settlements.payouts.contract import (
    Payout,
    PayoutAnswer,
    PayoutCandidate,
    PayoutLine,
    PayoutsAnswer,
)
from haulier.contexts.settlements.payouts.queries import load_payee_names
from haulier.contexts.settlements.payouts.rules import DisputeState, PayoutStatus, UnpaidSum
from haulier.contexts.settlements.payouts.store import PayoutEarningRow, PayoutRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.values.csv_text import csv_text
from haulier.kernel.values.money import Money
from haulier.rendering.payouts import PayoutPaper, PayoutPaperLine, lay_out_payout
from haulier.rendering.pdf import render_pdf
from haulier.rendering.sheets import PaperHead

CSV_COLUMNS = (
    *("earning_id", "kind", "day", "route_id", "stop_id", "order_id", "quantity", "rate_minor", "amount_minor"),
    *("currency", "reason", "corrects_id", "dispute_state", "dispute_reason", "dispute_answer"),
)


async def payout_records(call: Call, rows: Sequence[PayoutRow]) -> list[Payout]:
    """Return payouts with the names of their payees."""
    names = await load_payee_names(call, [(row.payee_kind, row.payee_id) for row in rows])
    return [
        record(
            Payout,
            row,
            payee_kind=PayeeKind(row.payee_kind),
            payee_name=names[row.payee_kind, row.payee_id],
            status=PayoutStatus(row.status),
            created_at=call.local_time(row.created_at),
        )
        for row in rows
    ]


async def payout_answer(call: Call, row: PayoutRow) -> PayoutAnswer:
    """Return a payout with its lines."""
    (payout,) = await payout_records(call, [row])
    lines = await store.list_line_rows(call.work, row.id)
    return PayoutAnswer(payout=payout, payout_lines=[_line_record(line) for line in lines])


async def payouts_answer(call: Call, rows: Sequence[PayoutRow]) -> PayoutsAnswer:
    """Return changed payouts."""
    return PayoutsAnswer(payouts=await payout_records(call, rows))


async def candidate_records(call: Call, sums: Sequence[UnpaidSum]) -> list[PayoutCandidate]:
    """Return unpaid earnings by payee, highest amount first."""
    names = await load_payee_names(call, [(each.payee_kind.value, each.payee_id) for each in sums])
    return [
        PayoutCandidate(
            payee_kind=each.payee_kind,
            payee_id=each.payee_id,
            payee_name=names[each.payee_kind.value, each.payee_id],
            lines=each.lines,
            amount_minor=each.amount_minor,
            currency=each.currency,
            payable=each.amount_minor > 0,
        )
        for each in sorted(sums, key=lambda each: (-each.amount_minor, each.payee_kind.value, each.payee_id))
    ]


def _line_record(line: PayoutEarningRow) -> PayoutLine:
    return record(
        PayoutLine,
        line,
        kind=EarningKind(line.kind),
        dispute_state=DisputeState(line.dispute) if line.dispute else None,
    )


def payout_csv(lines: Sequence[PayoutLine]) -> str:
    """Return the lines of a payout as a CSV document."""
    return csv_text(CSV_COLUMNS, ([getattr(line, name) for name in CSV_COLUMNS] for line in lines))


async def payout_pdf(call: Call, payout: Payout, lines: Sequence[PayoutLine]) -> bytes:
    """Return a payout as a PDF document in the caller's language."""
    issuer = (await require_client(call.work, call.client_id)).name
    paper = PayoutPaper(
        head=PaperHead(
            issuer=issuer,
            number=payout.number,
            verify_url="",
            moment=f"{call.local_time(call.now):%Y-%m-%d %H:%M}",
            language=call.language,
        ),
        payee=payout.payee_name,
        period=f"{_day(call, payout.date_from)} – {_day(call, payout.date_to)}",
        status=call.translate(f"payout_status_{payout.status.value}"),
        paid_on=_day(call, payout.paid_on) if payout.paid_on else "",
        reference=payout.payment_reference or "",
        lines=[_paper_line(call, line) for line in lines],
        total=_amount(call, payout.total_minor, payout.currency),
    )
    return render_pdf(lay_out_payout(paper), title=payout.number, language=call.language)


def _paper_line(call: Call, line: PayoutLine) -> PayoutPaperLine:
    parts = [
        call.translate(f"earning_{line.kind.value}"),
        call.translate("payout_route", number=line.route_id) if line.route_id else "",
        call.translate("payout_order", number=line.order_id) if line.order_id else "",
        f"{line.quantity / METRES_PER_KM:.1f} km" if line.kind is EarningKind.DISTANCE else "",
        line.reason or "",
        call.translate(f"payout_dispute_{line.dispute_state.value}") if line.dispute_state else "",
    ]
    return PayoutPaperLine(
        day=_day(call, line.day),
        text=" · ".join(part for part in parts if part),
        amount=_amount(call, line.amount_minor, line.currency),
    )


def _amount(call: Call, minor: int, currency: str) -> str:
    return Money(minor, currency).format(call.language)


def _day(call: Call, day: date) -> str:
    return format_date(day, "medium", locale=call.language.replace("-", "_"))

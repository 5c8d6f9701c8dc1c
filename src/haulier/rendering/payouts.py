"""Content and layout of payouts to contractors and drivers."""

from collections.abc import Sequence

import msgspec

from haulier.rendering.page import Page
from haulier.rendering.sheets import Column, PaperHead, Sheets


class PayoutPaperLine(msgspec.Struct, frozen=True, kw_only=True):
    """An earning with localized values."""

    day: str
    text: str
    amount: str


class PayoutPaper(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a payout. Amounts and days are localized; empty facts are left out."""

    head: PaperHead
    payee: str
    period: str
    status: str
    paid_on: str
    reference: str
    lines: Sequence[PayoutPaperLine]
    total: str


def lay_out_payout(paper: PayoutPaper) -> list[Page]:
    """Return the pages of a payout."""
    sheets = Sheets(paper.head, "paper_payout")
    say = sheets.say
    sheets.facts(
        [
            (say("paper_payee"), paper.payee),
            (say("paper_period"), paper.period),
            (say("paper_payout_status"), paper.status),
            (say("paper_paid_on"), paper.paid_on),
            (say("paper_reference"), paper.reference),
        ]
    )
    columns = [
        Column(say("paper_day"), 0.18),
        Column(say("paper_description"), 0.6),
        Column(say("paper_entry_amount"), 0.22, "right"),
    ]
    sheets.table(columns, [(line.day, line.text, line.amount) for line in paper.lines])
    sheets.space()
    sheets.line(say("paper_payout_total", amount=paper.total), 36, bold=True)
    return sheets.to_pages()

"""Statements of a customer's credit: what each says, and its pages."""

from collections.abc import Sequence

import msgspec

from haulier.rendering.page import Page
from haulier.rendering.sheets import Column, PaperHead, Sheets


class StatementPaperLine(msgspec.Struct, frozen=True, kw_only=True):
    """What happened, all as people there write it. An amount that is hidden is empty."""

    day: str
    text: str
    amount: str
    balance: str


class StatementPaper(msgspec.Struct, frozen=True, kw_only=True):
    """What happened to a customer's credit. Without a period it begins with the first entry, and ends with the last."""

    head: PaperHead
    customer: str
    date_from: str
    date_to: str
    opening: str
    closing: str
    lines: Sequence[StatementPaperLine]
    goes_on: bool = False
    """Whether further entries of the period do not stand on these pages."""


def lay_out_statement(paper: StatementPaper) -> list[Page]:
    """The pages of a statement."""
    sheets = Sheets(paper.head, "paper_credit_statement")
    say = sheets.say
    sheets.facts(
        [
            (say("paper_customer"), paper.customer),
            (say("paper_period"), " – ".join(day for day in (paper.date_from, paper.date_to) if day)),
            (say("paper_opening_balance"), paper.opening),
            (say("paper_closing_balance"), paper.closing),
        ]
    )
    columns = [
        Column(say("paper_day"), 0.16),
        Column(say("paper_entry"), 0.48),
        Column(say("paper_entry_amount"), 0.18, "right"),
        Column(say("paper_running_balance"), 0.18, "right"),
    ]
    sheets.table(columns, [(line.day, line.text, line.amount, line.balance) for line in paper.lines])
    if paper.goes_on:
        sheets.space()
        sheets.line(say("paper_statement_goes_on"))
    return sheets.to_pages()

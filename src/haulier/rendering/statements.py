"""Content and layout of credit statements."""

from collections.abc import Sequence

import msgspec

from haulier.rendering.page import Page
from haulier.rendering.sheets import Column, PaperHead, Sheets


class StatementPaperLine(msgspec.Struct, frozen=True, kw_only=True):
    """An entry with localized values. A hidden amount is empty."""

    day: str
    text: str
    amount: str
    balance: str


class StatementPaper(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a credit statement. Without a period, it covers all entries."""

    head: PaperHead
    customer: str
    date_from: str
    date_to: str
    opening: str
    closing: str
    lines: Sequence[StatementPaperLine]
    goes_on: bool = False
    """True if further entries of the period are omitted."""


def lay_out_statement(paper: StatementPaper) -> list[Page]:
    """Return the pages of a statement."""
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

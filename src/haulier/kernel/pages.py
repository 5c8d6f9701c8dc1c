"""Pages of a list: what a list is asked with, and what every list answers around its records."""

from typing import Annotated

from pydantic import Field

from haulier.kernel.answers import Answer, doc
from haulier.kernel.operation import Request

PER_PAGE_MAX = 200
PAGE_MAX = 100_000


class Page(Request):
    """Which page of a list."""

    page: int = Field(default=1, ge=1, le=PAGE_MAX)
    """The page, from 1."""
    per_page: int = Field(default=50, ge=1, le=PER_PAGE_MAX)
    """Records on a page."""

    @property
    def offset(self) -> int:
        """How many records stand before this page."""
        return (self.page - 1) * self.per_page


class Paged(Answer):
    """What every list answers around its records."""

    result: bool = True
    total: Annotated[int, doc("Records in the whole list.")]
    page: Annotated[int, doc("This page, from 1.")]
    per_page: Annotated[int, doc("Records on a page.")]

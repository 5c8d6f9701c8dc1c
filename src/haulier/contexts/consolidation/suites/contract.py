"""Request and response models for suites."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.consolidation.suites.rules import SUITE_CODE_PATTERN, SUITE_MAX, SUITE_MIN
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

SuiteCode = Annotated[
    str, Field(min_length=SUITE_MIN, max_length=SUITE_MAX, pattern=SUITE_CODE_PATTERN, examples=["TOR-1042"])
]
"""Letters, digits and hyphens, with at least one letter and one digit, unlike words and house numbers."""


class SuiteOfCustomer(Request):
    """A customer whose suite is meant."""

    customer_id: RecordId
    """The customer."""


class AssignSuite(SuiteOfCustomer):
    """Suite of a customer."""

    code: SuiteCode | None = None
    """Code, unique in the business regardless of case and hyphens. Generated if omitted."""


class ListSuites(PageRequest):
    """Filters for suites."""

    customer_id: RecordId | None = None
    """Filter by customer."""
    code: SuiteCode | None = None
    """Filter by code, in any spelling."""


class Suite(Answer):
    """Code that identifies a customer's parcels."""

    customer_id: int
    code: Annotated[str, doc("Code that the customer adds to the address, next to the name.", "TOR-1042")]
    created_at: datetime


class SuiteAnswer(Answer):
    """One suite."""

    result: bool = True
    suite: Suite


class SuiteList(PagedAnswer):
    """A page of suites, by code."""

    suites: list[Suite]

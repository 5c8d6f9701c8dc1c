"""Requests and answers of finding orders by a text."""

from typing import Annotated

from pydantic import Field, StringConstraints

from haulier.contexts.orders.delivery_orders.contract.brief_orders import FOUND
from haulier.contexts.orders.delivery_orders.contract.orders import OrderRecord
from haulier.kernel.operations.answers import Answer, brief_for_agents
from haulier.kernel.operations.declaration import Request


class FindOrder(Request):
    """Text to search for."""

    query: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=2, max_length=100, pattern=r"^[^\x00]+$"),
        Field(examples=["Ada"]),
    ]
    """Reference or tracking number, or part of one, ignoring case; or a name, phone, email, street or postal code."""
    limit: int = Field(default=20, ge=1, le=100)
    """Maximum number of results."""


class OrderMatches(Answer):
    """Matching orders, newest first."""

    result: bool = True
    orders: Annotated[list[OrderRecord], brief_for_agents(*FOUND)]

"""Requests and answers of finding orders by a text."""

from typing import Annotated

from pydantic import Field, StringConstraints

from haulier.contexts.orders.delivery_orders.contract.brief_orders import FOUND
from haulier.contexts.orders.delivery_orders.contract.orders import OrderRecord
from haulier.kernel.operations.answers import Answer, brief_for_agents
from haulier.kernel.operations.declaration import Request


class FindOrder(Request):
    """The text to search for."""

    query: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=2, max_length=100, pattern=r"^[^\x00]+$"),
        Field(examples=["Ada"]),
    ]
    """A reference or tracking number, also a part of it and in any case; a name, phone, e-mail, street or postal code."""
    limit: int = Field(default=20, ge=1, le=100)
    """At most this many."""


class OrderMatches(Answer):
    """The orders found, newest first."""

    result: bool = True
    orders: Annotated[list[OrderRecord], brief_for_agents(*FOUND)]

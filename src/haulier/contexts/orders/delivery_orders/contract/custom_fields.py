"""Values of custom fields of orders: requests."""

from typing import Annotated

from pydantic import Field

from haulier.contexts.custom_fields.fields import FieldValues, values_of
from haulier.contexts.orders.delivery_orders.contract.addresses import PIECES_MAX
from haulier.contexts.orders.delivery_orders.contract.orders import Id, OrderRef
from haulier.kernel.operations.declaration import Request


class PackageFieldValues(Request):
    """A piece and what to write of its custom fields."""

    package_id: Id
    """The piece, as the order in full names it."""
    custom_fields: Annotated[FieldValues, values_of("package")]
    """Values by the names of fields. What is left out stays; null empties it."""


class UpdateOrderCustomFields(OrderRef):
    """What to write of an order's custom fields."""

    custom_fields: Annotated[FieldValues, values_of("order")] = {}
    """Values by the names of fields. What is left out stays; null empties it."""
    packages: Annotated[list[PackageFieldValues], Field(max_length=PIECES_MAX)] = []
    """The same of its pieces."""

"""Values of custom fields of orders: requests."""

from typing import Annotated

from pydantic import Field

from haulier.contexts.custom_fields.fields import FieldValues, values_of
from haulier.contexts.orders.delivery_orders.contract.addresses import PIECES_MAX
from haulier.contexts.orders.delivery_orders.contract.orders import Id, OrderRef
from haulier.kernel.operations.declaration import Request


class PackageFieldValues(Request):
    """Custom field values of a package."""

    package_id: Id
    """ID of the package, as returned with the order."""
    custom_fields: Annotated[FieldValues, values_of("package")]
    """Values by field name. Omitted fields are unchanged; null clears a field."""


class UpdateOrderCustomFields(OrderRef):
    """Custom field values of an order."""

    custom_fields: Annotated[FieldValues, values_of("order")] = {}
    """Values by field name. Omitted fields are unchanged; null clears a field."""
    packages: Annotated[list[PackageFieldValues], Field(max_length=PIECES_MAX)] = []
    """Custom field values of packages."""

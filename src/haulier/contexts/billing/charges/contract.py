"""Request and response models for charges."""

from typing import Annotated

from haulier.contexts.billing.charges.rules import ChargeTime
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request


class SetChargingPolicy(Request):
    """Times at which the business charges its services."""

    deliveries: ChargeTime
    """When local deliveries are charged. With `on_invoice_run` or `manual`, delivered orders wait for the run or for staff."""


class ChargingPolicy(Answer):
    """Times at which the business charges its services."""

    result: bool = True
    deliveries: Annotated[ChargeTime, doc("When local deliveries are charged.")]

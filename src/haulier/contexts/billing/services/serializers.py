"""Serializers for services."""

import msgspec

from haulier.contexts.billing.services.contract import (
    FormFieldRecord,
    Fulfilment,
    ServiceKind,
    ServicePriceAnswer,
    ServicePriceLine,
    ServicePricingRecord,
    ServiceRecord,
)
from haulier.contexts.billing.services.queries import price_line_name, service_from_row
from haulier.contexts.billing.services.rules import ServicePrice
from haulier.contexts.billing.services.store import ServiceRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def service_record(call: Call, row: ServiceRow) -> ServiceRecord:
    """Return a service with its form and its prices."""
    return record(
        ServiceRecord,
        row,
        kind=ServiceKind(row.kind),
        form=msgspec.convert(row.form, list[FormFieldRecord]),
        form_schema=service_from_row(row).schema(call.language),
        pricing=msgspec.convert(row.pricing, ServicePricingRecord),
        fulfilment=[Fulfilment(each) for each in row.fulfilment],
        created_at=call.local_time(row.created_at),
        updated_at=call.local_time(row.updated_at),
    )


def price_answer(call: Call, price: ServicePrice) -> ServicePriceAnswer:
    """Return a price with its parts."""
    return ServicePriceAnswer(
        currency=price.currency,
        lines=[
            ServicePriceLine(code=line.code, name=price_line_name(call, line), amount_minor=line.minor)
            for line in price.lines
        ],
        tax_minor=price.tax_minor,
        total_minor=price.total_minor,
    )

"""Price families and errors of services."""

from collections.abc import Mapping

from haulier.contexts.billing.services.contract.services import ServiceKind
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import declare_error

PRICE_FAMILIES: Mapping[str, PriceFamily] = {
    ServiceKind.PARCEL: PriceFamily.SHIPPING_SERVICE,
    ServiceKind.LTL: PriceFamily.LTL_SERVICE,
    ServiceKind.MOVING: PriceFamily.MOVING_SERVICES,
    ServiceKind.STORAGE: PriceFamily.STORAGE_SERVICES,
    ServiceKind.SHIPOUT: PriceFamily.STORAGE_SERVICES,
    # The interface names no family for it, and a bag in the business's van is a local delivery.
    ServiceKind.LUGGAGE: PriceFamily.LOCAL_DELIVERY,
}

SERVICE_CODE_TAKEN = declare_error("service_code_taken", 409)
SERVICE_IN_USE = declare_error("service_in_use", 409)
SERVICE_OUT_OF_AREA = declare_error("service_out_of_area", 409)
SERVICE_PRICE_OUT_OF_RANGE = declare_error("service_price_out_of_range", 409)
SERVICE_QUOTE_EXPIRED = declare_error("service_quote_expired", 409)
SERVICE_QUOTE_TAKEN = declare_error("service_quote_taken", 409)

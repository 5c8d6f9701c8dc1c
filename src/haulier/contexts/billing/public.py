"""Public interface of billing.

Money moves in the caller's transaction, once per key. A key names the purpose of the money, such as
`label:17:purchase`. A repeated call returns the same transfer. A key that is reused for something else is refused.
After an error nothing is written, and the caller's transaction can continue.
"""

from haulier.contexts.billing.charges.actions import (
    lock_refundable_minor,
    lock_refundable_part,
    refund,
    refund_remaining,
)
from haulier.contexts.billing.charges.queries import KnownChargeTimes, get_known_charge_time, load_charge_time
from haulier.contexts.billing.charges.rules import ChargeTime
from haulier.contexts.billing.exchange_rates.queries import Conversions, convert, load_conversions
from haulier.contexts.billing.exchange_rates.rules import Converted
from haulier.contexts.billing.identities.queries import load_seller_address
from haulier.contexts.billing.invoices.queries import list_customer_debts
from haulier.contexts.billing.ledger.actions import (
    Hold,
    Posted,
    adjust,
    capture_hold,
    charge,
    hold_credit,
    post,
    record_carrier_cost,
    set_credit_limit,
    top_up,
    void_hold,
)
from haulier.contexts.billing.ledger.queries import (
    Credit,
    SubjectCharge,
    balance_of,
    check_ledger,
    count_owed_accounts,
    is_posted,
    list_charges_of,
    list_credits,
)
from haulier.contexts.billing.ledger.rules import (
    CREDIT_INSUFFICIENT,
    HOLD_ENDED,
    HOLD_TOO_SMALL,
    LEDGER_KEY_REUSED,
    AccountKey,
    AccountKind,
    ChargeDetails,
    DueOrder,
    HoldStatus,
    MoneySubject,
    TransferKind,
    make_posting,
)
from haulier.contexts.billing.ports import Payable, Payables, PendingCharge, PendingCharges, PendingSum
from haulier.contexts.billing.services.actions import (
    KeptServiceQuote,
    mark_service_used,
    store_service_quote,
    use_service_quote,
)
from haulier.contexts.billing.services.contract import (
    FormFieldRecord,
    FormValues,
    Fulfilment,
    ServiceCode,
    ServiceKind,
    ServiceMeasures,
)
from haulier.contexts.billing.services.queries import (
    Service,
    check_service_values,
    find_offered_service,
    get_service,
    list_offered_services,
    price_line_name,
    price_service,
)
from haulier.contexts.billing.services.rules import (
    PRICE_FAMILIES,
    SERVICE_OUT_OF_AREA,
    SERVICE_PRICE_OUT_OF_RANGE,
    SERVICE_QUOTE_EXPIRED,
    SERVICE_QUOTE_TAKEN,
    PriceLine,
    ServicePrice,
)
from haulier.contexts.billing.taxes.queries import price_with_tax, taxes_for
from haulier.contexts.billing.taxes.rules import ProductClass, TaxPlace

__all__ = [
    "CREDIT_INSUFFICIENT",
    "HOLD_ENDED",
    "HOLD_TOO_SMALL",
    "LEDGER_KEY_REUSED",
    "PRICE_FAMILIES",
    "SERVICE_OUT_OF_AREA",
    "SERVICE_PRICE_OUT_OF_RANGE",
    "SERVICE_QUOTE_EXPIRED",
    "SERVICE_QUOTE_TAKEN",
    "AccountKey",
    "AccountKind",
    "ChargeDetails",
    "ChargeTime",
    "Conversions",
    "Converted",
    "Credit",
    "DueOrder",
    "FormFieldRecord",
    "FormValues",
    "Fulfilment",
    "Hold",
    "HoldStatus",
    "KeptServiceQuote",
    "KnownChargeTimes",
    "MoneySubject",
    "Payable",
    "Payables",
    "PendingCharge",
    "PendingCharges",
    "PendingSum",
    "Posted",
    "PriceLine",
    "ProductClass",
    "Service",
    "ServiceCode",
    "ServiceKind",
    "ServiceMeasures",
    "ServicePrice",
    "SubjectCharge",
    "TaxPlace",
    "TransferKind",
    "adjust",
    "balance_of",
    "capture_hold",
    "charge",
    "check_ledger",
    "check_service_values",
    "convert",
    "count_owed_accounts",
    "find_offered_service",
    "get_known_charge_time",
    "get_service",
    "hold_credit",
    "is_posted",
    "list_charges_of",
    "list_credits",
    "list_customer_debts",
    "list_offered_services",
    "load_charge_time",
    "load_conversions",
    "load_seller_address",
    "lock_refundable_minor",
    "lock_refundable_part",
    "make_posting",
    "mark_service_used",
    "post",
    "price_line_name",
    "price_service",
    "price_with_tax",
    "record_carrier_cost",
    "refund",
    "refund_remaining",
    "set_credit_limit",
    "store_service_quote",
    "taxes_for",
    "top_up",
    "use_service_quote",
    "void_hold",
]

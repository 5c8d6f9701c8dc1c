"""Public interface of settlements: cash on delivery and drivers' pay."""

from haulier.contexts.settlements.cash_on_delivery.actions import (
    DeliveredStop,
    record_cod_collected,
    record_cod_due,
    reverse_cod_of_stop,
)
from haulier.contexts.settlements.cash_on_delivery.queries import StoredCashCarried, get_cod_position, load_own_cash
from haulier.contexts.settlements.pay.queries import load_statement, pay_sum_truths, quote_pay
from haulier.contexts.settlements.pay.rules import Payee, PayeeKind

__all__ = [
    "DeliveredStop",
    "Payee",
    "PayeeKind",
    "StoredCashCarried",
    "get_cod_position",
    "load_own_cash",
    "load_statement",
    "pay_sum_truths",
    "quote_pay",
    "record_cod_collected",
    "record_cod_due",
    "reverse_cod_of_stop",
]

"""Operations on charges."""

from haulier.contexts.billing.charges import store
from haulier.contexts.billing.charges.actions import refund
from haulier.contexts.billing.charges.contract import ChargingPolicy, SetChargingPolicy
from haulier.contexts.billing.charges.queries import load_charge_time
from haulier.contexts.billing.ledger.contract import CreditTransferAnswer, RefundCharge
from haulier.contexts.billing.ledger.operations import publish_posting
from haulier.contexts.billing.ledger.queries import require_refundable
from haulier.contexts.billing.ledger.rules import LEDGER_KEY_REUSED, REFUND_TOO_MUCH, TransferKind
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.money import Money


@writes(
    "refund_charge",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    errors=(NOT_FOUND, REFUND_TOO_MUCH, LEDGER_KEY_REUSED),
    interfaces=(Rest("POST", "/v1/billing/transfers/{transfer_id}/refund"), GraphQL("refundCharge")),
)
async def refund_charge(call: Call, request: RefundCharge) -> CreditTransferAnswer:
    """Refund a charge to a customer's credit.

    The refund may be partial and never exceeds the charge. It is counted once per reference.
    """
    charged = await require_refundable(call, request.transfer_id)
    refunded = refund(
        call,
        request.transfer_id,
        Money(request.amount_minor, charged.currency) if request.amount_minor else None,
        key=f"refund:{request.transfer_id}:{request.reference}",
        reason=request.reason,
    )
    kind, reference = TransferKind.REFUND, request.reference
    return await publish_posting(call, charged.customer_id, charged.currency, kind, refunded, reference)


POLICY_PATH = "/v1/billing/charging"


@reads(
    "get_charging_policy",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", POLICY_PATH), GraphQL("chargingPolicy")),
)
async def get_charging_policy(call: Call, request: EmptyRequest) -> ChargingPolicy:
    """Get when services are charged."""
    return ChargingPolicy(deliveries=await load_charge_time(call))


@writes(
    "set_charging_policy",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("PUT", POLICY_PATH), GraphQL("setChargingPolicy")),
)
async def set_charging_policy(call: Call, request: SetChargingPolicy) -> ChargingPolicy:
    """Set when services are charged.

    Applies to orders created or delivered from now on. Charged orders are not charged again. Orders delivered before
    stay uncharged until staff or an invoice run charge them.
    """
    await store.save_policy(call.work, request.deliveries.value, call.now)
    return ChargingPolicy(deliveries=request.deliveries)

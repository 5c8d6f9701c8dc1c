"""Writes of deliveries for other families."""

from msgspec import Struct

from haulier.contexts.identity.public import clear_failures, count_failure, find_failed_sign_ins, seconds_until_retry
from haulier.contexts.orders.public import TrackedOrder, find_order_of_any_client, get_recipient_facts
from haulier.contexts.recipients.deliveries.contract import OpenDelivery
from haulier.contexts.recipients.deliveries.rules import RECIPIENT_UNPROVEN, attempt_keys, knows_address_or_phone
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.errors import RATE_LIMITED
from haulier.kernel.request_context import RequestContext


class ProvenDelivery(Struct, frozen=True):
    """Order of a verified recipient, and the counted wrong proofs."""

    order: TrackedOrder
    failure_digests: tuple[str, ...]


async def prove_recipient(context: RequestContext, request: OpenDelivery) -> ProvenDelivery:
    """Return the order of a number for a verified recipient.

    Raises `RECIPIENT_UNPROVEN` or `RATE_LIMITED`. An unknown number is answered like a wrong proof. It runs before
    the transaction of the call, so that a wrong proof stays counted.
    """
    now, policies = context.app.clock(), attempt_keys(request.number, context.network)
    async with context.app.database.read(None) as work:
        failures = await find_failed_sign_ins(work, policies.keys())
        waits = [seconds_until_retry(*failures[key], now, policies[key]) for key in policies if key in failures]
        if wait_s := max(waits, default=0):
            error = RATE_LIMITED(retry_after_s=wait_s)
            error.headers = {"Retry-After": str(wait_s)}
            raise error
        call = await call_as_system(context.app, None, work)
        order = await find_order_of_any_client(call, request.number)
        proven = order is not None and await _is_proven(call, order, request.proof.get_secret_value())
    if order is None or not proven:
        async with context.app.database.write(None) as work:
            await count_failure(work, policies.keys(), now)
        raise RECIPIENT_UNPROVEN()
    return ProvenDelivery(order, tuple(failures))


async def _is_proven(call: Call, order: TrackedOrder, proof: str) -> bool:
    own = await call_for_client(call, order.client_id)
    facts = (await get_recipient_facts(own, [order.id])).get(order.id)
    return facts is not None and facts.type != "P" and knows_address_or_phone(facts.consignee, proof)


async def delete_wrong_proofs(work: UnitOfWork, proven: ProvenDelivery) -> None:
    """Reset the count of wrong proofs after a correct one."""
    if proven.failure_digests:
        await clear_failures(work, proven.failure_digests)


async def call_for_client(call: Call, client_id: int) -> Call:
    """Return the call on behalf of the business of the delivery.

    The operation decides which data it may access.
    """
    work = call.work.for_tenant(client_id, "a recipient's delivery is the business's order")
    own = await call_as_system(
        call.app,
        client_id,
        work,
        now=call.now,
        language=call.language,
        request_id=call.request_id,
        dry_run=call.dry_run,
        address=call.address,
        agent=call.agent,
    )
    own.side_effects = call.side_effects
    return own

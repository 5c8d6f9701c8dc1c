"""Closed documents never change: later voids are corrections by staff."""

from tests.contexts.shipping.makers import buy, make_platform_account, shipment_now
from tests.support.app import App

from haulier.contexts.billing.public import balance_of, top_up
from haulier.kernel.call import call_as_system
from haulier.kernel.values.money import Money


async def credit(app: App, added: int = 0) -> int:
    """The spendable credit of the customer, in cents."""
    async with app.application.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        if added:
            await top_up(call, app.ids["customer"], Money(added, "CAD"), key="t1")
        found = await balance_of(call, app.ids["customer"])
        return (found.balance - found.held).minor


async def test_a_customer_cannot_void_a_handed_over_label(app: App) -> None:
    await make_platform_account(app)
    await credit(app, 100_000)
    before_closing, handed_over = await buy(app, "customer"), await buy(app, "customer")
    voided = {"shipment_id": before_closing.id}
    await app.answer("customer", "cancel_shipping_label", voided, confirmed=True)
    (manifest,) = (await app.answer("admin", "end_of_day", {}, confirmed=True)).manifests
    paid = await credit(app)
    refused = await app.call("customer", "cancel_shipping_label", {"shipment_id": handed_over.id}, confirmed=True)
    assert refused.error
    assert (refused.status, refused.error["code"]) == (409, "SHIPMENT_STEP_REFUSED")
    assert "handed_over" in refused.error["message"]
    assert (await shipment_now(app, handed_over.id)).state == "purchased"
    assert await credit(app) == paid
    shown = await app.answer("admin", "get_shipping_manifest", {"manifest_id": manifest.id})
    assert (shown.shipment_ids, shown.voided_shipment_ids) == ([handed_over.id], [])


async def test_a_void_by_the_office_does_not_change_a_closed_manifest(app: App) -> None:
    await make_platform_account(app)
    await credit(app, 100_000)
    label = await buy(app, "customer")
    (manifest,) = (await app.answer("admin", "end_of_day", {}, confirmed=True)).manifests
    paid = await credit(app)
    await app.answer("admin", "cancel_shipping_label", {"shipment_id": label.id}, confirmed=True)
    assert (await shipment_now(app, label.id)).state == "voided"
    assert await credit(app) > paid
    for _ in range(2):
        shown = await app.answer("admin", "get_shipping_manifest", {"manifest_id": manifest.id})
        assert (shown.manifest.state, shown.manifest.shipments) == ("closed", 1)
        assert (shown.shipment_ids, shown.voided_shipment_ids) == ([label.id], [label.id])
        await app.answer("admin", "end_of_day", {}, confirmed=True)
    trail = await app.answer(
        "admin", "list_audit_entries", {"subject_kind": "shipping_manifest", "subject_id": manifest.id}
    )
    assert "cancel_shipping_label" in [entry.operation for entry in trail.entries]

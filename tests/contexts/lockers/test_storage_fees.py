"""Storage fees of lockers after the free days."""

from tests.contexts.lockers.makers import deposited, make_cabinet
from tests.support.app import App


async def test_storage_is_free_at_first_then_charged_daily_on_collection(app: App) -> None:
    cabinet = await make_cabinet(app, storage_free_days=2, storage_day_minor=150)
    customer = app.ids["customer"]
    await app.answer("admin", "top_up_credit", {"customer_id": customer, "amount_minor": 1000, "reference": "cash 1"})
    owned = await deposited(app, cabinet, recipient={"name": "Ada", "customer_id": customer}, keep_days=30)
    stray = await deposited(app, cabinet, keep_days=30)

    async def due(parcel_id: int) -> object:
        (item,) = (await app.answer("admin", "otep_client_locker_storage", {"locker_parcel_id": parcel_id})).items
        return item.fee_due_minor

    app.clock.forward(hours=47)
    assert await due(owned.id) == 0
    app.clock.forward(hours=26)
    assert await due(owned.id) == 300
    for parcel in (owned, stray):
        code = (await app.answer("admin", "renew_locker_code", {"locker_parcel_id": parcel.id})).code
        verdict = await cabinet.says("present_locker_code", code=code)
        await cabinet.says("report_device_command", command_id=verdict.command.id, outcome="done")
    assert (await due(owned.id), await due(stray.id)) == (0, 300)
    balance = (await app.answer("customer", "get_account_credits", {})).credits[0].balance_minor
    assert balance == 700

"""Seed of the demo business, with data for every page."""

from haulier.background import make_worker
from haulier.demo.accounts import DemoUser
from haulier.demo.caller import OperationCaller, SeedClock
from haulier.demo.customers import seed_customers, seed_late_payer
from haulier.demo.day import create_stranger_order, seed_base, seed_day
from haulier.demo.fleet import seed_fleet, set_pay
from haulier.demo.freight import seed_freight
from haulier.demo.history import seed_history
from haulier.demo.lockers import seed_lockers
from haulier.demo.places import seed_places
from haulier.demo.warehouse import seed_warehouse
from haulier.kernel.application import Application
from haulier.kernel.operations.enums import Feature


async def seed_business(app: Application, people: dict[str, DemoUser]) -> None:
    """Create all demo data. Messages and events are sent as for calls of users."""
    clock = SeedClock(app)
    admin = OperationCaller(app, people["admin"])
    await set_pay(admin, clock)
    await seed_late_payer(admin)
    base = await seed_base(admin, people)
    await seed_history(admin, people, clock, base)
    day = await seed_day(admin, people, clock, base)
    await create_stranger_order(OperationCaller(app, people["admin@rival.example"]), clock.present)
    await seed_fleet(admin, people, clock, day)
    await seed_places(admin)
    shelf = await seed_warehouse(admin, clock, day.waiting[0]) if "warehouse" in app.loaded else 0
    await seed_customers(admin, people["customer"], clock, shelf)
    if "lockers" in app.loaded:
        await seed_lockers(admin, people["customer"], clock, day.waiting[1])
    await _return_order(admin)
    if "shipping" in app.loaded:
        await seed_freight(admin, people["customer"])
    await admin.call("set_feature", feature=Feature.OPERATIONS_AI_AGENT.value, enabled=True)
    await _propose(OperationCaller(app, people["employee"]), day.waiting[2])
    await make_worker(app).run_due()


async def _return_order(admin: OperationCaller) -> None:
    """Return a delivered order, inspect it and propose its refund."""
    (order,) = (await admin.call("get_orders", status="DELIVERED", per_page=1)).orders
    asked = {"reason": "too_small", "note": "One size larger, please"}
    back = (await admin.call("create_order_return", order_id=order.id, **asked)).order_return
    lines = [{"number": each.number, "grade": "b_grade", "quantity": each.quantity} for each in back.items]
    await admin.call("inspect_order_return", order_return_id=back.id, lines=lines)
    await admin.call("propose_return_refunds", order_return_id=back.id, reason="The customer returned the goods.")


async def _propose(employee: OperationCaller, order: int) -> None:
    """Propose a write that waits for approval."""
    asked = {"tool": "hold_order", "arguments": {"order_id": order}, "note": "The shop called: the goods come tomorrow"}
    await employee.call("propose_write", **asked)

"""Every operation with a driver takes the ids that `get_drivers` lists."""

from typing import Any

from tests.invariants.business import AS, actor, make_business
from tests.invariants.example_requests import make_request_for
from tests.invariants.interfaces_client import Interfaces
from tests.support.app import App

from haulier.app import registry
from haulier.kernel.operations.declaration import Operation, Rest

NAMES = {"driver_id", "driver_ids"}
UNKNOWN = 9**9


def takes_a_driver(operation: Operation[Any, Any]) -> bool:
    return bool(NAMES & operation.request.model_fields.keys()) and any(
        isinstance(interface, Rest) for interface in operation.interfaces
    )


async def test_no_operation_refuses_the_id_of_a_listed_driver(app: App) -> None:
    known = await make_business(app)
    made = [
        (await app.answer("admin", "create_driver", {"name": name, **user})).driver
        for name, user in (("Without account", {}), ("With account", {"user_id": app.ids["driver2"]}))
    ]
    listed = {each.id: each.user_id for each in (await app.answer("admin", "get_drivers")).drivers}
    assert listed[made[0].id] is None
    assert listed[made[1].id] not in {None, made[1].id}
    operations = [operation for operation in registry() if takes_a_driver(operation)]
    assert len(operations) > 30
    interfaces, refused = Interfaces(app, app.http, ""), dict[int, set[str]]()
    for driver in (*(each.id for each in made), UNKNOWN):
        refused[driver] = set()
        for operation in operations:
            asked = {**make_request_for(operation, known), **_driver_of(operation, driver)}
            who = actor(operation, AS) or ""
            async for reply in interfaces.ask(who, operation, asked, kinds=(Rest,), **{"X-Dry-Run": "true"}):
                assert reply.status < 500, reply
                if reply.status == 404 and '"field":"driver_id' in reply.text:
                    refused[driver].add(operation.name)
    assert [refused[each.id] for each in made] == [set(), set()]
    assert len(refused[UNKNOWN]) > 15, "an unknown id is refused, so the walk reaches the look-up of drivers"


def _driver_of(operation: Operation[Any, Any], driver: int) -> dict[str, Any]:
    fields = NAMES & operation.request.model_fields.keys()
    return {name: [driver] if name == "driver_ids" else driver for name in fields}

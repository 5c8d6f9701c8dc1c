"""Rules for single drivers: until when they are blocked, how many routes they may have, where they drive."""

from typing import Any

from haulier.contexts.dispatch.drivers.visibility import visible_driver
from haulier.contexts.dispatch.route_board import store
from haulier.contexts.dispatch.route_board.contract import (
    DriverRule,
    DriverRuleAnswer,
    DriverRules,
    ListDriverRules,
    SetDriverRule,
)
from haulier.contexts.dispatch.route_board.operations.posting import TAG
from haulier.contexts.dispatch.routes.operations.planning import PLANNERS
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, reads, writes


@writes(
    "set_board_driver_rule",
    audience=PLANNERS,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    doors=(Rest("PUT", "/v1/route-board/drivers/{driver_id}", tag=TAG), GraphQL("setBoardDriverRule")),
)
async def set_board_driver_rule(call: Call, request: SetDriverRule) -> DriverRuleAnswer:
    """Say what a driver may take from the board. What they have already, they keep. A contractor's own drivers are theirs."""
    driver = await visible_driver(call, request.driver_id)
    await store.hold_drivers(call.work, [driver.id])
    values = request.model_dump(exclude={"driver_id"})
    await store.set_rule(call.work, driver.id, **values, changed_at=call.now, changed_by=call.actor)
    call.concerns("driver", driver.id)
    rule = (await store.rules(call.work, [driver.id]))[driver.id]
    return DriverRuleAnswer(rule=_shown(call, rule, driver.name))


@reads(
    "list_board_driver_rules",
    audience=PLANNERS,
    scopes={Scope.DRIVERS_READ},
    doors=(Rest("GET", "/v1/route-board/drivers", tag=TAG), GraphQL("boardDriverRules")),
)
async def list_board_driver_rules(call: Call, request: ListDriverRules) -> DriverRules:
    """List the rules for single drivers, by name. A contractor sees those of their own drivers."""
    filters: dict[str, Any] = {"blocked": call.now} if request.blocked else {}
    if call.principal.account is Account.CONTRACTOR:
        filters["owner"] = call.actor
    rows, total = await store.page_of_rules(call.work, filters, request.per_page, request.offset)
    shown = [_shown(call, row, row.driver_name) for row in rows]
    return DriverRules(total=total, page=request.page, per_page=request.per_page, rules=shown)


def _shown(call: Call, rule: Any, driver_name: str) -> DriverRule:
    return DriverRule(
        driver_id=rule.driver_id,
        driver_name=driver_name,
        blocked_until=rule.blocked_until and rule.blocked_until.astimezone(call.time_zone),
        block_reason=rule.block_reason,
        claims_per_day=rule.claims_per_day,
        zones=list(rule.zones),
        changed_at=rule.changed_at.astimezone(call.time_zone),
        changed_by=rule.changed_by,
    )

"""Operations for rules of single drivers: blocks, limits and zones."""

from typing import Any

from haulier.contexts.fleet.public import get_visible_driver, lock_drivers
from haulier.contexts.marketplace.route_board import store
from haulier.contexts.marketplace.route_board.contract import (
    BoardDriverRule,
    BoardDriverRuleAnswer,
    BoardDriverRules,
    ListBoardDriverRules,
    SetBoardDriverRule,
)
from haulier.contexts.marketplace.route_board.store import BoardDriverRuleRow
from haulier.contexts.routes.routes.rules.permissions import ROUTE_PLANNERS
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record


@writes(
    "set_board_driver_rule",
    audience=ROUTE_PLANNERS,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    doors=(Rest("PUT", "/v1/route-board/drivers/{driver_id}"), GraphQL("setBoardDriverRule")),
)
async def set_board_driver_rule(call: Call, request: SetBoardDriverRule) -> BoardDriverRuleAnswer:
    """Set the board rule of a driver.

    Existing claims stay. Contractors can set rules for their own drivers.
    """
    driver = await get_visible_driver(call, request.driver_id)
    await lock_drivers(call, [driver.id])
    values = request.model_dump(exclude={"driver_id"})
    await store.upsert_board_driver_rule(call.work, driver.id, **values, changed_at=call.now, changed_by=call.actor)
    call.add_audit_subjects("driver", driver.id)
    rule = (await store.get_board_driver_rules(call.work, [driver.id]))[driver.id]
    return BoardDriverRuleAnswer(rule=_driver_rule_record(call, rule, driver.name))


@reads(
    "list_board_driver_rules",
    audience=ROUTE_PLANNERS,
    scopes={Scope.DRIVERS_READ},
    doors=(Rest("GET", "/v1/route-board/drivers"), GraphQL("boardDriverRules")),
)
async def list_board_driver_rules(call: Call, request: ListBoardDriverRules) -> BoardDriverRules:
    """List board rules of drivers.

    Results are ordered by name. Contractors see rules of their own drivers.
    """
    filters: dict[str, Any] = {"blocked": call.now} if request.blocked else {}
    if call.principal.account is Account.CONTRACTOR:
        filters["owner"] = call.actor
    rows, total = await store.find_board_driver_rules(call.work, filters, request.per_page, request.offset)
    rules = [_driver_rule_record(call, row, row.driver_name) for row in rows]
    return BoardDriverRules(total=total, page=request.page, per_page=request.per_page, rules=rules)


def _driver_rule_record(call: Call, rule: BoardDriverRuleRow, driver_name: str) -> BoardDriverRule:
    return record(
        BoardDriverRule,
        rule,
        driver_name=driver_name,
        blocked_until=call.local_time(rule.blocked_until),
        changed_at=call.local_time(rule.changed_at),
    )

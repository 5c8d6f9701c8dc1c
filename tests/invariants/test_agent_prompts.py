"""Content shown to a model by any tool contains no secrets or other tenants' data."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from sqlalchemy import update
from tests.contexts.control_tower.agent.makers import ScriptedModel, asked, calls, has_agent, says, with_model
from tests.invariants.business import MARK
from tests.invariants.example_requests import make_request_for
from tests.invariants.full_business import known_to, make_full_business
from tests.support.app import App

from haulier.contexts.control_tower.agent.rules.limits import CALLS_MAX
from haulier.contexts.control_tower.ports import AgentTools
from haulier.kernel.data.tables import metadata

SECRET_FIELDS = re.compile(r"(?:token|secret|password|api_key|signing_key|credentials|ticket|code_verifier|opens|pin)$")
SHORTEST = 8
PLANTED_PIN = "\u26bf\u26bf\u26bf\u26bf"
"""Stands in for PINs of four digits, which might be found in any number."""
TOLD_BY_THE_CALLER = {"consignee", "address", "query", "text", "order_refs"}
"""Values of the request that can appear in its response."""
LOCKER_CODES = {"renew_locker_code", "reserve_locker_box"}


class Remembered:
    """Secrets sent or returned while the business was created."""

    def __init__(self, app: App, monkeypatch: pytest.MonkeyPatch) -> None:
        self.secrets: set[str] = set()
        call = app.call

        async def remembering(who: Any, operation: str, values: Any = None, **words: Any) -> Any:
            result = await call(who, operation, values, **words)
            named = {"code"} if operation in LOCKER_CODES else set()
            self.secrets |= {each for part in (values, result.answer) for each in secrets_in(part, named)}
            return result

        monkeypatch.setattr(app, "call", remembering)


def secrets_in(document: Any, named: set[str], name: str = "") -> Iterator[str]:
    """Yield the values of secret fields."""
    plain = msgspec.to_builtins(document, enc_hook=str)
    if isinstance(plain, dict):
        for inner, each in plain.items():
            yield from secrets_in(each, named, name or str(inner))
    elif isinstance(plain, list):
        for each in plain:
            yield from secrets_in(each, named, name)
    elif isinstance(plain, str) and len(plain) >= SHORTEST and (name in named or SECRET_FIELDS.search(name)):
        yield plain


async def shown_to_a_model(app: App, who: str, known: dict[str, Any]) -> str:
    """Return everything that a model reads when it calls every tool of a caller."""
    principal = await app.application.callers.identify(app.tokens[who], app.clock())
    listed = app.application.adapter(AgentTools).listed(app.application, principal)
    registry = app.application.registry
    meant = {name: known_to(registry[name], known).items() for name, *_ in listed}
    told = {
        name: {field: value for field, value in each if field not in TOLD_BY_THE_CALLER} for name, each in meant.items()
    }
    wanted = [(name, make_request_for(registry[name], each)) for name, each in told.items()]
    wanted += [("list_pending_approvals", {"status": "executed", "per_page": 20})]
    assert len(wanted) > 60
    steps = [calls(*wanted[at : at + CALLS_MAX]) for at in range(0, len(wanted), CALLS_MAX)]
    model: ScriptedModel = with_model(app, *steps, says("Read."))
    turn = (await asked(app, "Read everything.", who=who)).turn
    assert turn.status == "done", turn.ended_by
    return model.read


async def test_no_prompt_contains_a_secret_or_data_of_another_tenant(
    sqlite_app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = sqlite_app
    remembered = Remembered(app, monkeypatch)
    known = await make_full_business(app)
    async with app.database.write(app.clients["demo"]) as work:
        assert await work.run(update(metadata.tables["delivery_pin"]).values(pin=PLANTED_PIN))
    for who in ("admin", "rival"):
        await has_agent(app, who)
        await app.answer(who, "set_agent_policy", {"max_steps": 30, "max_seconds": 600, "shows_prices": True})
    secrets = remembered.secrets | {*app.tokens.values(), PLANTED_PIN}
    own = await shown_to_a_model(app, "admin", known)
    assert MARK in own, "the business's own agent finds little: nothing to look at"
    assert [secret for secret in secrets if secret in own] == []
    assert MARK not in await shown_to_a_model(app, "rival", known)

"""The skill catalogue and skills of drivers."""

from typing import Any

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st
from tests.contexts.fleet.makers import make_driver
from tests.support.app import App

from haulier.contexts.fleet.driver_skills.rules import with_skill, without_skill
from haulier.kernel.operations.errors import OperationError

CODES = st.lists(st.text(min_size=1, max_size=5), unique=True, max_size=6)


async def make_skill(app: App, code: str = "tail_lift", **words: Any) -> int:
    return (await app.answer("admin", "create_skill", {"code": code, "name": code.title(), **words})).skill.id


async def refused(app: App, who: str, operation: str, values: dict[str, Any]) -> str | None:
    outcome = await app.call(who, operation, values)
    return outcome.error and outcome.error["code"]


async def skills_of(app: App, driver_id: int) -> list[str]:
    return (await app.answer("admin", "get_driver", {"driver_id": driver_id})).driver.skills


@examples(CODES, st.text(min_size=1, max_size=5))
def test_assigning_and_removing_a_skill_cancel_out(skills: list[str], code: str) -> None:
    more = with_skill(skills, code, 50, 1)
    if code in skills:
        assert more is None
    else:
        assert more is not None
        assert without_skill(more, code) == skills


def test_a_driver_has_a_maximum_number_of_skills() -> None:
    with pytest.raises(OperationError, match="skills_full"):
        with_skill(["a", "b"], "c", 2, 7)
    assert with_skill(["a", "b"], "b", 2, 7) is None


async def test_a_skill_is_assigned_to_many_drivers_and_can_be_filtered_by(app: App) -> None:
    skill_id = await make_skill(app)
    drivers = [await make_driver(app, login=None) for _ in range(3)]
    asked = {"skill_id": skill_id, "driver_ids": drivers[:2]}
    outcome = await app.answer("employee", "grant_driver_skill", asked)
    assert (outcome.changed, outcome.skipped, outcome.skill.drivers) == (2, 0, 2)
    again = await app.answer("admin", "grant_driver_skill", {"skill_id": skill_id, "driver_ids": drivers})
    assert (again.changed, again.skipped, again.skill.drivers) == (1, 2, 3)
    found = await app.answer("admin", "get_drivers", {"skill": "tail_lift"})
    assert [driver.id for driver in found.drivers] == drivers
    less = await app.answer("admin", "revoke_driver_skill", asked)
    assert (less.changed, less.skill.drivers) == (2, 1)
    assert [await skills_of(app, driver_id) for driver_id in drivers] == [[], [], ["tail_lift"]]


async def test_similar_skill_codes_are_counted_separately(app: App) -> None:
    """Codes may contain SQL wildcards, and be part of one another."""
    for code in ("a_b", "axb", "a%b", "b", "a_b c"):
        await make_skill(app, code)
    await make_driver(app, login=None, skills=["axb", "a_b c"])
    shown = await app.answer("admin", "list_skills")
    assert {skill.code: skill.drivers for skill in shown.skills} == {"a_b": 0, "axb": 1, "a%b": 0, "b": 0, "a_b c": 1}


async def test_a_skill_without_active_drivers_is_flagged(app: App) -> None:
    skill_id = await make_skill(app)
    driver_id = await make_driver(app, login=None, skills=["tail_lift"])
    await app.answer("admin", "update_driver", {"driver_id": driver_id, "active": False})
    (skill,) = (await app.answer("admin", "list_skills", {"search": "TAIL"})).skills
    assert (skill.id, skill.drivers) == (skill_id, 0)


async def test_a_code_is_unique_within_a_business_only(app: App) -> None:
    await make_skill(app)
    again = {"code": "tail_lift", "name": "Other"}
    assert await refused(app, "admin", "create_skill", again) == "SKILL_TAKEN"
    assert await refused(app, "rival", "create_skill", again) is None


async def test_a_retired_skill_cannot_be_assigned_stays_with_its_drivers_and_can_be_restored(app: App) -> None:
    skill_id = await make_skill(app)
    has, wants = await make_driver(app, login=None, skills=["tail_lift"]), await make_driver(app, login=None)
    retired = await app.answer("admin", "update_skill", {"skill_id": skill_id, "active": False})
    assert (retired.skill.active, retired.skill.drivers) == (False, 1)
    asked = {"skill_id": skill_id, "driver_ids": [wants]}
    assert await refused(app, "admin", "grant_driver_skill", asked) == "SKILL_RETIRED"
    assert (await app.answer("admin", "list_skills", {"active": True})).total == 0
    assert await skills_of(app, has) == ["tail_lift"]
    await app.answer("admin", "update_skill", {"skill_id": skill_id, "active": True, "name": "Lift"})
    assert await refused(app, "admin", "grant_driver_skill", asked) is None


async def test_renaming_a_skill_updates_driver_pages_and_keeps_the_code(app: App) -> None:
    skill_id = await make_skill(app, description="Licence C")
    await make_driver(app, skills=["tail_lift", "free"])
    await app.answer("admin", "update_skill", {"skill_id": skill_id, "name": "Ladebordwand", "description": None})
    sheet = await app.answer("driver", "get_driver_info")
    assert [(skill.code, skill.name) for skill in sheet.skills] == [("tail_lift", "Ladebordwand"), ("free", "free")]
    (skill,) = (await app.answer("driver", "list_skills")).skills
    assert (skill.code, skill.description) == ("tail_lift", None)


async def test_an_unknown_driver_refuses_the_whole_call_and_is_reported(app: App) -> None:
    skill_id, mine = await make_skill(app), await make_driver(app, login=None)
    theirs = (await app.answer("rival", "create_driver", {"name": "Rita"})).driver.id
    outcome = await app.call("admin", "grant_driver_skill", {"skill_id": skill_id, "driver_ids": [mine, theirs, 10**9]})
    assert outcome.error
    assert [each["field"] for each in outcome.error["errors"]] == ["driver_ids.1", "driver_ids.2"]
    assert await skills_of(app, mine) == []


async def test_another_business_can_neither_see_nor_change_a_skill(app: App) -> None:
    skill_id = await make_skill(app)
    assert (await app.answer("rival", "list_skills")).total == 0
    assert await refused(app, "rival", "update_skill", {"skill_id": skill_id, "name": "x"}) == "NOT_FOUND"
    assert await refused(app, "contractor", "create_skill", {"code": "x", "name": "x"}) == "ACCOUNT_NOT_ALLOWED"


async def test_assigning_a_skill_uses_a_constant_number_of_statements(app: App) -> None:
    skill_id = await make_skill(app)
    drivers = [await make_driver(app, login=None) for _ in range(20)]
    counts = []
    for some in (drivers[:1], drivers[1:]):
        before = app.statements
        await app.answer("admin", "grant_driver_skill", {"skill_id": skill_id, "driver_ids": some})
        counts.append(app.statements - before)
    # The audit trail of many records is one statement too, so nothing grows.
    assert counts[0] == counts[1]

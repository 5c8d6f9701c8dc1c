"""The catalogue of skills: list, create, change, give, take."""

from collections.abc import Callable
from typing import Any

from haulier.contexts.dispatch.drivers.skills import store
from haulier.contexts.dispatch.drivers.skills.contract import (
    SKILLS_MAX,
    CreateSkill,
    ListSkills,
    OneSkill,
    SkillOfDrivers,
    SkillOutcome,
    SkillRecord,
    Skills,
    UpdateSkill,
)
from haulier.contexts.dispatch.drivers.skills.rules import SKILL_RETIRED, SKILL_TAKEN, SKILLS_FULL, given, taken
from haulier.kernel.call import Call
from haulier.kernel.data.work import Conflict
from haulier.kernel.declarations import OFFICE, STAFF, Scope
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault
from haulier.kernel.operation import GraphQL, Rest, reads, writes

TAG = "Skills"
PATH = "/v1/skills"


@reads(
    "list_skills",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    doors=(Rest("GET", PATH, tag=TAG), GraphQL("skills")),
)
async def list_skills(call: Call, request: ListSkills) -> Skills:
    """List the skills of the business, by name, each with the number of drivers who have it."""
    rows, total = await store.page(
        call.work, active=request.active, text=request.search, limit=request.per_page, offset=request.offset
    )
    return Skills(
        total=total, page=request.page, per_page=request.per_page, skills=[_record(call, row) for row in rows]
    )


@writes(
    "create_skill",
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE},
    errors=(SKILL_TAKEN,),
    doors=(Rest("POST", PATH, status=201, tag=TAG), GraphQL("createSkill")),
)
async def create_skill(call: Call, request: CreateSkill) -> OneSkill:
    """Add a skill to the catalogue. Drivers who were given its code before count as having it."""
    try:
        skill_id = await store.add(call.work, **request.model_dump(), created_at=call.now)
    except Conflict:
        raise SKILL_TAKEN(code=request.code) from None
    call.concerns("skill", skill_id)
    return OneSkill(skill=await _shown(call, skill_id))


@writes(
    "update_skill",
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE},
    errors=(NOT_FOUND,),
    doors=(Rest("PATCH", f"{PATH}/{{skill_id}}", tag=TAG), GraphQL("updateSkill")),
)
async def update_skill(call: Call, request: UpdateSkill) -> OneSkill:
    """Rename a skill, describe it, retire it or bring it back. Its code stays, because orders ask for it."""
    await _locked(call, request.skill_id)
    named = request.model_dump(include=request.model_fields_set & {"name", "description"})
    values = {name: value for name, value in named.items() if value is not None or name == "description"}
    await store.change(call.work, request.skill_id, **values, **store.retired(request.active, call.now))
    call.concerns("skill", request.skill_id)
    return OneSkill(skill=await _shown(call, request.skill_id))


@writes(
    "give_skill",
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE},
    errors=(NOT_FOUND, SKILL_RETIRED, SKILLS_FULL),
    doors=(Rest("POST", f"{PATH}/{{skill_id}}/give", tag=TAG), GraphQL("giveSkill")),
)
async def give_skill(call: Call, request: SkillOfDrivers) -> SkillOutcome:
    """Give a skill to drivers: from now on they may be planned for orders that ask for it."""
    skill = await _locked(call, request.skill_id)
    if skill.retired_at:
        raise SKILL_RETIRED(code=skill.code)
    return await _changed(call, request, lambda has, driver: given(has, skill.code, SKILLS_MAX, driver))


@writes(
    "take_skill",
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE},
    errors=(NOT_FOUND,),
    doors=(Rest("POST", f"{PATH}/{{skill_id}}/take", tag=TAG), GraphQL("takeSkill")),
)
async def take_skill(call: Call, request: SkillOfDrivers) -> SkillOutcome:
    """Take a skill from drivers, also one that is retired. Routes that are planned stay as they are."""
    skill = await _locked(call, request.skill_id)
    return await _changed(call, request, lambda has, _: taken(has, skill.code))


async def _changed(
    call: Call, request: SkillOfDrivers, decide: Callable[[list[str], int], list[str] | None]
) -> SkillOutcome:
    found = await store.skills_of(call.work, request.driver_ids)
    unknown = [at for at, driver_id in enumerate(request.driver_ids) if driver_id not in found]
    if unknown:
        raise INVALID_REQUEST.at(*(Fault(f"driver_ids.{at}", "field.driver_unknown") for at in unknown))
    decided = {driver_id: decide(has, driver_id) for driver_id, has in found.items()}
    changed = {driver_id: skills for driver_id, skills in decided.items() if skills is not None}
    await store.set_skills(call.work, changed)
    call.concerns("driver", *changed)
    return SkillOutcome(
        changed=len(changed), skipped=len(found) - len(changed), skill=await _shown(call, request.skill_id)
    )


async def _locked(call: Call, skill_id: int) -> Any:
    skill = await store.locked(call.work, skill_id)
    if skill is None:
        raise NOT_FOUND()
    return skill


async def _shown(call: Call, skill_id: int) -> SkillRecord:
    return _record(call, await store.one(call.work, skill_id))


def _record(call: Call, row: Any) -> SkillRecord:
    return SkillRecord(
        id=row.id,
        code=row.code,
        name=row.name,
        description=row.description,
        active=row.retired_at is None,
        drivers=row.drivers,
        created_at=row.created_at.astimezone(call.time_zone),
    )

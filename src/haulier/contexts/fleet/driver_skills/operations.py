"""The catalogue of skills: list, create, change, grant, revoke."""

from collections.abc import Callable

from haulier.contexts.fleet.driver_skills import store
from haulier.contexts.fleet.driver_skills.contract import (
    SKILLS_MAX,
    ChangeDriverSkill,
    CreateSkill,
    DriverSkillResult,
    ListSkills,
    SkillAnswer,
    SkillDetail,
    SkillList,
    UpdateSkill,
)
from haulier.contexts.fleet.driver_skills.rules import (
    SKILL_RETIRED,
    SKILL_TAKEN,
    SKILLS_FULL,
    with_skill,
    without_skill,
)
from haulier.contexts.fleet.drivers.actions import set_driver_skills
from haulier.contexts.fleet.drivers.queries import lock_driver_skills
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, STAFF, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.operations.records import record

PATH = "/v1/skills"


@reads(
    "list_skills",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("skills")),
)
async def list_skills(call: Call, request: ListSkills) -> SkillList:
    """List skills, by name.

    Includes the number of drivers with each skill.
    """
    rows, total = await store.list_skill_rows(
        call.work, active=request.active, text=request.search, limit=request.per_page, offset=request.offset
    )
    return SkillList(
        total=total, page=request.page, per_page=request.per_page, skills=[_serialize_skill(call, row) for row in rows]
    )


@writes(
    "create_skill",
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE},
    errors=(SKILL_TAKEN,),
    interfaces=(Rest("POST", PATH, status=201), GraphQL("createSkill")),
)
async def create_skill(call: Call, request: CreateSkill) -> SkillAnswer:
    """Create a skill.

    Drivers who already have its code count as having the skill.
    """
    try:
        skill_id = await store.SkillRow.insert(call.work, **request.model_dump(), created_at=call.now)
    except UniqueConflict:
        raise SKILL_TAKEN(code=request.code) from None
    call.add_audit_subjects("skill", skill_id)
    return SkillAnswer(skill=await _load_skill(call, skill_id))


@writes(
    "update_skill",
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE},
    errors=(NOT_FOUND,),
    interfaces=(Rest("PATCH", f"{PATH}/{{skill_id}}"), GraphQL("updateSkill")),
)
async def update_skill(call: Call, request: UpdateSkill) -> SkillAnswer:
    """Update a skill.

    Renames, describes, retires or restores it. The code cannot change because orders refer to it.
    """
    await _lock_skill(call, request.skill_id)
    named = request.model_dump(include=request.model_fields_set & {"name", "description"})
    values = {name: value for name, value in named.items() if value is not None or name == "description"}
    values |= store.retirement_column(request.active, call.now)
    await store.SkillRow.update(call.work, request.skill_id, values)
    call.add_audit_subjects("skill", request.skill_id)
    return SkillAnswer(skill=await _load_skill(call, request.skill_id))


@writes(
    "grant_driver_skill",
    available_when={"active": True},
    reversed_by="revoke_driver_skill",
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE},
    errors=(NOT_FOUND, SKILL_RETIRED, SKILLS_FULL),
    interfaces=(Rest("POST", f"{PATH}/{{skill_id}}/give"), GraphQL("grantDriverSkill")),
)
async def grant_driver_skill(call: Call, request: ChangeDriverSkill) -> DriverSkillResult:
    """Grant a skill to drivers.

    From now on, they can be planned for orders that require it.
    """
    skill = await _lock_skill(call, request.skill_id)
    if skill.retired_at:
        raise SKILL_RETIRED(code=skill.code)
    return await _change_driver_skills(
        call, request, lambda skills, driver: with_skill(skills, skill.code, SKILLS_MAX, driver)
    )


@writes(
    "revoke_driver_skill",
    reversed_by="grant_driver_skill",
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE},
    errors=(NOT_FOUND,),
    interfaces=(Rest("POST", f"{PATH}/{{skill_id}}/take"), GraphQL("revokeDriverSkill")),
)
async def revoke_driver_skill(call: Call, request: ChangeDriverSkill) -> DriverSkillResult:
    """Revoke a skill from drivers.

    Retired skills can be revoked too. Existing routes are unchanged.
    """
    skill = await _lock_skill(call, request.skill_id)
    return await _change_driver_skills(call, request, lambda skills, _: without_skill(skills, skill.code))


async def _change_driver_skills(
    call: Call, request: ChangeDriverSkill, decide: Callable[[list[str], int], list[str] | None]
) -> DriverSkillResult:
    current = await lock_driver_skills(call, request.driver_ids)
    unknown = [index for index, driver_id in enumerate(request.driver_ids) if driver_id not in current]
    if unknown:
        raise INVALID_REQUEST.for_fields(
            *(FieldError(f"driver_ids.{index}", "field.driver_unknown") for index in unknown)
        )
    decided = {driver_id: decide(skills, driver_id) for driver_id, skills in current.items()}
    changed = {driver_id: skills for driver_id, skills in decided.items() if skills is not None}
    await set_driver_skills(call, changed)
    call.add_audit_subjects("driver", *changed)
    return DriverSkillResult(
        changed=len(changed), skipped=len(current) - len(changed), skill=await _load_skill(call, request.skill_id)
    )


async def _lock_skill(call: Call, skill_id: int) -> store.SkillRow:
    skill = await store.SkillRow.lock(call.work, skill_id)
    if skill is None:
        raise NOT_FOUND()
    return skill


async def _load_skill(call: Call, skill_id: int) -> SkillDetail:
    row = await store.get_skill_row(call.work, skill_id)
    if row is None:
        raise NOT_FOUND()
    return _serialize_skill(call, row)


def _serialize_skill(call: Call, row: store.SkillDetailRow) -> SkillDetail:
    return record(SkillDetail, row, active=row.retired_at is None, created_at=call.local_time(row.created_at))

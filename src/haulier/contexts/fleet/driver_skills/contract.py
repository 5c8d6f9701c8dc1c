"""Request and response models for the skill catalogue."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Name, Note, RecordId, Skill
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

DRIVERS_MAX, SKILLS_MAX = 500, 50


class ListSkills(PageRequest):
    """Filters and page of a skill list."""

    active: bool | None = None
    """Filter by whether the skill is active or retired."""
    search: Annotated[str, Field(min_length=1, max_length=120, pattern=NO_NUL)] | None = None
    """Filter by part of the code or name."""


class CreateSkill(Request):
    """A new skill."""

    code: Annotated[Skill, Field(examples=["two-person-lift"])]
    """Code used in orders, drivers and imports. It cannot be changed."""
    name: Name
    """Display name."""
    description: Note | None = None
    """Requirements for the skill."""


class UpdateSkill(Request):
    """Changes to a skill. Omitted fields are unchanged; null clears the description."""

    skill_id: RecordId
    name: Name | None = None
    description: Note | None = None
    active: bool | None = None
    """If false, the skill is retired: drivers who have it keep it, and it cannot be granted. If true, it is
    restored."""


class ChangeDriverSkill(Request):
    """A skill, and the drivers to grant it to or revoke it from."""

    skill_id: RecordId
    driver_ids: Annotated[list[DriverId], Field(min_length=1, max_length=DRIVERS_MAX)]
    """Drivers to change. An unknown driver rejects the whole call."""


class SkillDetail(Answer):
    """A skill in the catalogue."""

    id: int
    code: str
    name: str
    description: str | None
    active: Annotated[bool, doc("False if the skill is retired.")]
    drivers: Annotated[
        int, doc("Number of active drivers with the skill. If 0, orders that require it cannot be planned.")
    ]
    created_at: datetime


class SkillAnswer(Answer):
    """One skill."""

    result: bool = True
    skill: SkillDetail


class SkillList(PagedAnswer):
    """A page of skills, by name."""

    skills: list[SkillDetail]


class DriverSkillResult(Answer):
    """Number of drivers changed."""

    result: bool = True
    changed: Annotated[int, doc("Drivers whose skills changed.")]
    skipped: Annotated[int, doc("Drivers that needed no change.")]
    skill: SkillDetail

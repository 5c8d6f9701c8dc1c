"""What goes in and out of the catalogue of skills."""

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
    """Which skills to list."""

    active: bool | None = None
    """Only those that are given, or only those that are retired."""
    search: Annotated[str, Field(min_length=1, max_length=120, pattern=NO_NUL)] | None = None
    """A part of the code or of the name."""


class CreateSkill(Request):
    """A new skill."""

    code: Annotated[Skill, Field(examples=["two-person-lift"])]
    """What orders, drivers and imports call it. It stays."""
    name: Name
    """What people call it."""
    description: Note | None = None
    """What it takes to have it."""


class UpdateSkill(Request):
    """What to change; what is left out stays as it is. Null empties the description."""

    skill_id: RecordId
    name: Name | None = None
    description: Note | None = None
    active: bool | None = None
    """False retires it: nobody is given it any more, and who has it keeps it. True brings it back."""


class ChangeDriverSkill(Request):
    """A skill, and the drivers who get or lose it."""

    skill_id: RecordId
    driver_ids: Annotated[list[DriverId], Field(min_length=1, max_length=DRIVERS_MAX)]
    """The drivers. One that is unknown refuses the whole call."""


class SkillDetail(Answer):
    """A skill of the catalogue."""

    id: int
    code: str
    name: str
    description: str | None
    active: Annotated[bool, doc("False once it is retired.")]
    drivers: Annotated[
        int, doc("How many active drivers have it; with 0, an order that asks for it cannot be planned.")
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
    """How many drivers have got or lost a skill."""

    result: bool = True
    changed: Annotated[int, doc("Drivers who got or lost it.")]
    skipped: Annotated[int, doc("Drivers who had it, or had it not, already.")]
    skill: SkillDetail

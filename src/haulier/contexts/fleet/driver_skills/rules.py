"""Giving skills to drivers and taking them."""

from collections.abc import Sequence

from haulier.kernel.operations.errors import declare_error

SKILL_TAKEN = declare_error("skill_taken", 409)
SKILL_RETIRED = declare_error("skill_retired", 409)
SKILLS_FULL = declare_error("skills_full", 409)


def with_skill(skills: Sequence[str], code: str, most: int, driver_id: int) -> list[str] | None:
    """Return a driver's skills with one more, or None if they have it.

    Raises `SKILLS_FULL` for a driver with the maximum number of skills.
    """
    if code in skills:
        return None
    if len(skills) >= most:
        raise SKILLS_FULL(driver_id=driver_id, most=most)
    return [*skills, code]


def without_skill(skills: Sequence[str], code: str) -> list[str] | None:
    """A driver's skills without one; None when they do not have it."""
    return [skill for skill in skills if skill != code] if code in skills else None

"""Skills as other families read them."""

from collections.abc import Collection

from haulier.contexts.fleet.driver_skills import store
from haulier.contexts.fleet.drivers.queries import has_driver_with_skill
from haulier.kernel.call import Call


async def get_skill_names(call: Call, codes: Collection[str]) -> dict[str, str]:
    """The names of some skills, by code; those outside the catalogue are absent."""
    return await store.get_skill_names(call.work, codes)


async def find_unknown_skills(call: Call, codes: Collection[str]) -> frozenset[str]:
    """Return the codes that are not in the catalogue and that no active driver has."""
    unlisted = set(codes) - (await store.get_skill_names(call.work, codes)).keys() if codes else set[str]()
    # Drivers may have skills from before the catalogue. Such codes are few, so each is searched.
    return frozenset([code for code in sorted(unlisted) if not await has_driver_with_skill(call, code)])

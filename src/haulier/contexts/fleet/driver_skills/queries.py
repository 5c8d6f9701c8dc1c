"""Skills as other families read them."""

from collections.abc import Collection

from haulier.contexts.fleet.driver_skills import store
from haulier.kernel.call import Call


async def get_skill_names(call: Call, codes: Collection[str]) -> dict[str, str]:
    """The names of some skills, by code; those outside the catalogue are absent."""
    return await store.get_skill_names(call.work, codes)

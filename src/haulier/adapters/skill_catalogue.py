"""Implementation of the orders port for driver skills."""

from collections.abc import Collection

from haulier.contexts.fleet import public as fleet
from haulier.kernel.call import Call


class StoredSkillCatalogue:
    """Lookup in the skill catalogue and in the skills of drivers."""

    async def find_unknown_skills(self, call: Call, codes: Collection[str]) -> frozenset[str]:
        """Return the codes that are neither in the catalogue nor held by any driver."""
        return await fleet.find_unknown_skills(call, codes)

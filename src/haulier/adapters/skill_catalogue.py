"""The skills that drivers can have, for a port of orders."""

from collections.abc import Collection

from haulier.contexts.fleet import public as fleet
from haulier.kernel.call import Call


class StoredSkillCatalogue:
    """Answers from the catalogue of skills, and from what drivers have."""

    async def find_unknown_skills(self, call: Call, codes: Collection[str]) -> frozenset[str]:
        """Those of some codes that are not in the client's catalogue of skills, and that no driver has either."""
        return await fleet.find_unknown_skills(call, codes)

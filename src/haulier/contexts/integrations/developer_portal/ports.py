"""What the portal needs of the doors: they alone know how an operation looks from outside."""

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct

from haulier.kernel.call import Call
from haulier.kernel.house import House
from haulier.kernel.registry import Registry


class SkillFile(Struct, frozen=True, kw_only=True):
    """The file that teaches an agent to work with this house."""

    version: str
    hash: str
    text: str
    download_url: str


class Doors(Protocol):
    """The doors, as seen from inside."""

    def signatures(self, registry: Registry) -> Mapping[str, str]:
        """Each field of the GraphQL schema by its name: how it is written there, arguments and type."""
        ...

    async def query(
        self, call: Call, text: str, variables: dict[str, Any] | None, operation_name: str | None
    ) -> dict[str, Any]:
        """Run a GraphQL query as the caller and give the body of the response. Raises a `Refusal` for a mutation."""
        ...

    def skill(self, house: House) -> SkillFile:
        """The skill file of this house."""
        ...

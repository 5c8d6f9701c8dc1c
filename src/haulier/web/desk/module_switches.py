"""Settings page of the modules: the parts of Haulier that a business uses."""

import secrets

from msgspec import Struct
from starlette.responses import Response

from haulier.contexts.identity.accounts.operations import get_client, set_module
from haulier.kernel.operations.enums import Module
from haulier.web.desk.pages import DeskRequest
from haulier.web.session import app_of

ORDER = (
    Module.SHIPPING,
    Module.WAREHOUSE,
    Module.PACKING,
    Module.STORAGE,
    Module.LOCKERS,
    Module.LOCKER_COMMERCE,
    Module.CONTRACTORS,
    Module.CHAT,
    Module.AI_AGENT,
    Module.DATASETS,
    Module.ALLIANCES,
)
"""Modules in the order of the page: the most used first."""


class ModuleSwitch(Struct, frozen=True):
    """A module with its state."""

    name: str
    enabled: bool


async def modules_page(desk: DeskRequest) -> Response:
    """Show the loaded modules, each with a button that enables or disables it."""
    client = (await desk.read_if_allowed(get_client)).get("client") or {}
    enabled = client.get("modules", [])
    loaded = app_of(desk.request).loaded
    return desk.page(
        "desk_modules.html",
        switches=[ModuleSwitch(module.value, module.value in enabled) for module in ORDER if module.value in loaded],
        may_switch=desk.may(set_module),
        once=secrets.token_urlsafe(16),
    )

"""First start: state of a server without a business."""

from haulier.contexts.identity.public import has_accounts
from haulier.kernel.application import Application
from haulier.kernel.operations.enums import Module

OFFERED = (Module.SHIPPING, Module.STORAGE, Module.WAREHOUSE, Module.LOCKERS, Module.CONTRACTORS)
"""Modules that the setup asks about. Deliveries are always included, and other modules stay as they are."""


class FirstStart:
    """State of a server without accounts.

    Checked until an account exists, then never again: accounts are not deleted.
    """

    def __init__(self, app: Application, *, over: bool = False) -> None:
        self._app, self._over = app, over

    async def waits(self) -> bool:
        """Return True if no account exists yet."""
        if not self._over:
            async with self._app.database.read(None) as work:
                self._over = await has_accounts(work)
        return not self._over

"""First start: state of a server without a business."""

from haulier.contexts.identity.public import has_accounts
from haulier.kernel.application import Application


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

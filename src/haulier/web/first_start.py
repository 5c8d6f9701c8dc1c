"""Whether a server still waits for its first business."""

from haulier.contexts.identity.public import has_accounts
from haulier.kernel.application import Application


class FirstStart:
    """Whether a server waits to be set up. Asked until it has an account and never again: one that was made stays."""

    def __init__(self, app: Application, *, over: bool = False) -> None:
        self._app, self._over = app, over

    async def waits(self) -> bool:
        """Whether nobody has an account yet."""
        if not self._over:
            async with self._app.database.read(None) as work:
                self._over = await has_accounts(work)
        return not self._over

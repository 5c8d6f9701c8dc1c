"""Calls of operations as demo users, at the times of the demo's day."""

from datetime import datetime, timedelta
from typing import Any

import msgspec

from haulier.demo.accounts import DemoUser
from haulier.kernel.application import Application
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.run import handle_request

SEED_INTERFACE = "seed"
HISTORY_DAYS = 9
"""Number of days before today with deliveries."""


class OperationCaller:
    """Calls operations as a user, or anonymously, through the pipeline."""

    def __init__(self, app: Application, user: DemoUser | None) -> None:
        self.app = app
        self.user = user

    @property
    def client_id(self) -> int:
        """Return the id of the user's business."""
        assert self.user is not None
        return self.user.client_id

    async def call(self, operation: str, **values: Any) -> Any:
        """Call an operation that must succeed."""
        result = await self._run(operation, values)
        if result.error is not None:
            raise RuntimeError(f"the demo could not {operation}: {result.error}")
        return result.answer

    async def attempt(self, operation: str, **values: Any) -> Any:
        """Call an operation, and return its error or None."""
        return (await self._run(operation, values)).error

    async def _run(self, operation: str, values: dict[str, Any]) -> Any:
        operation_request = OperationRequest(
            operation=self.app.registry[operation],
            interface=SEED_INTERFACE,
            request_id="demo-seed",
            body=msgspec.json.encode(values),
            token=self.user.token if self.user else None,
        )
        return await handle_request(self.app, operation_request)


class SeedClock:
    """The clock of the seed.

    Events are minutes or hours apart, and the last one is at the present.
    """

    def __init__(self, app: Application) -> None:
        self.present = app.clock()
        self.time = self.present - timedelta(days=HISTORY_DAYS + 1)
        app.clock = self

    def __call__(self) -> datetime:
        """Return the current time of the seed."""
        return self.time

    def advance_to(self, time: datetime) -> None:
        """Advance to a later moment."""
        self.time = max(self.time, time)

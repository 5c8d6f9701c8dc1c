"""Calls of operations as demo users, at the times of the demo's day."""

from datetime import datetime, timedelta
from typing import Any

import msgspec

from haulier.demo.accounts import DemoUser
from haulier.kernel.application import Application
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.run import handle_request


class OperationCaller:
    """Calls operations as a user, or anonymously, through the pipeline."""

    def __init__(self, app: Application, user: DemoUser | None) -> None:
        self.app = app
        self.user = user

    async def call(self, operation: str, **values: Any) -> Any:
        """Call an operation that must succeed."""
        body = msgspec.json.encode(values)
        operation_request = OperationRequest(
            operation=self.app.registry[operation],
            interface="seed",
            request_id="demo-seed",
            body=body,
            token=self.user.token if self.user else None,
        )
        result = await handle_request(self.app, operation_request)
        if result.error is not None:
            raise RuntimeError(f"the demo could not {operation}: {result.error}")
        return result.answer


class SeedClock:
    """The clock of the seed.

    Events are hours apart, and the last one is at the present.
    """

    def __init__(self, app: Application) -> None:
        self.present = app.clock()
        self.time = self.present - timedelta(hours=8)
        app.clock = self

    def __call__(self) -> datetime:
        """Return the current time of the seed."""
        return self.time

    def advance_to(self, time: datetime) -> None:
        """Advance to a later moment."""
        self.time = max(self.time, time)

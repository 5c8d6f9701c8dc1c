"""Stateful Hypothesis tests over the application and a real database."""

import asyncio
import tempfile
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine
from tests.support import databases
from tests.support.app import App, make_app
from tests.support.hypothesis_profiles import costly


class AppMachine(RuleBasedStateMachine):
    """An application per history. A subclass selects the other database."""

    database = "sqlite"

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        file = self.database == "sqlite"
        url = databases.migrated_file(Path(self.folder.name)) if file else databases.cluster().url()
        self.opened = make_app(url)
        self.app: App = self.wait(self.opened.__aenter__())

    def wait(self, work: Awaitable[Any]) -> Any:
        """Return the result of an awaitable."""
        return self.loop.run_until_complete(work)

    def teardown(self) -> None:
        self.wait(self.opened.__aexit__(None, None, None))
        self.loop.close()
        self.folder.cleanup()
        if self.database != "sqlite":
            databases.cluster().sweep()


def machine(of: type[AppMachine], steps: int) -> Any:
    """Return the test of a machine with a maximum number of steps."""
    case = of.TestCase
    case.settings = settings(costly, stateful_step_count=steps)
    return case

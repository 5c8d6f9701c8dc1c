"""While contexts are being written: a database with every table that can be imported today, migrated or not.

Delete this file, and its one use in `databases.py`, when the first release's history is complete.
"""

import asyncio
import importlib
import logging
import pkgutil
import threading

from sqlalchemy import MetaData
from tests import databases

import haulier.contexts
import haulier.kernel.pipeline
from haulier.adapters import migrations
from haulier.adapters.database import connect
from haulier.kernel.data.tables import metadata

log = logging.getLogger(__name__)


def migrate(url: str) -> None:
    """Migrate as far as that works, then create what is declared and not there."""
    for module in pkgutil.walk_packages(haulier.contexts.__path__, "haulier.contexts.", onerror=lambda _: None):
        if ".store" in module.name:
            try:
                importlib.import_module(module.name)
            except Exception:
                log.warning("%s cannot be imported yet", module.name)
    try:
        migrations.upgrade(url)
    except Exception:
        log.warning("the migrations do not run yet", exc_info=True)
    thread = threading.Thread(target=lambda: asyncio.run(_fill_up(url)))
    thread.start()
    thread.join()


async def _fill_up(url: str) -> None:
    database = connect(url)
    await database.open()
    there = await database.table_names()
    await database.close()
    missing = MetaData(naming_convention=metadata.naming_convention)
    for table in metadata.sorted_tables:
        if table.name not in there:
            table.to_metadata(missing)
    if missing.tables:
        await databases.make_tables(url, missing)

"""What a business set for its texts."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, select

from haulier.contexts.messaging.campaigns.store.tables import SmsMarketingRow, settings
from haulier.kernel.data.unit_of_work import UnitOfWork

_one = select(settings)
_locked = _one.with_for_update()
_by_endpoint = select(settings).where(settings.c.endpoint_key == bindparam("endpoint"))


async def get_settings_row(work: UnitOfWork, *, lock: bool = False) -> SmsMarketingRow | None:
    """Return the client's settings, or None; locked until the transaction ends when asked."""
    return await work.first(_locked if lock else _one, SmsMarketingRow)


async def upsert_settings(work: UnitOfWork, values: Mapping[str, Any], endpoint_key: str) -> None:
    """Write the settings; the key of the path stays once it was given."""
    before = await get_settings_row(work, lock=True)
    await work.upsert(settings, (), **values, endpoint_key=before.endpoint_key if before else endpoint_key)


async def find_settings_by_endpoint(work: UnitOfWork, endpoint: str) -> SmsMarketingRow | None:
    """Return the settings whose provider's notices come to a path, of any client."""
    wide = work.without_tenant_filter("the path of a notice says whose it is")
    return await wide.first(_by_endpoint, SmsMarketingRow, endpoint=endpoint)

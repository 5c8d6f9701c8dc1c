"""Package presets for the other families of shipping."""

from haulier.contexts.shipping.package_presets import store
from haulier.contexts.shipping.package_presets.store import PackagePresetRow as PackagePresetRow
from haulier.kernel.data.unit_of_work import UnitOfWork


async def get_package_presets(work: UnitOfWork) -> dict[int, PackagePresetRow]:
    """Return all presets of the business by ID."""
    return {row.id: row for row in await store.list_preset_rows(work)}

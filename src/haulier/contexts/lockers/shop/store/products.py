"""Statements on products and shop settings."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, update

from haulier.contexts.lockers.shop.store.tables import ShopProductRow, ShopSettingsRow, products, settings
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.folded_text import has_words

_settings = select(settings)


async def update_product(work: UnitOfWork, product_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a product."""
    if values:
        changed = update(products).where(products.c.id == bindparam("product")).values(**values)
        await work.run(changed, product=product_id)


async def list_product_rows(
    work: UnitOfWork, *, retired: bool, text: str | None, limit: int, offset: int
) -> tuple[Sequence[ShopProductRow], int]:
    """List a page of products by name, with their count.

    `text` searches code and name.
    """
    conditions: list[ColumnElement[bool]] = [] if retired else [products.c.retired.is_(False)]
    if text:
        conditions.append(has_words(text, products.c.name, products.c.code))
    page = select(products).where(*conditions).order_by(products.c.name, products.c.id).limit(limit).offset(offset)
    counted = select(func.count()).select_from(products).where(*conditions)
    return await work.all(page, ShopProductRow), await work.value(counted)


async def get_settings_row(work: UnitOfWork) -> ShopSettingsRow | None:
    """Return the settings of the locker shop, or None."""
    return await work.first(_settings, ShopSettingsRow)


async def write_settings(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Insert or update the settings of the locker shop."""
    await work.upsert(settings, (), **values)

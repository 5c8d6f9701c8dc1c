"""The table of weekly report subscriptions."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import Column, Date, UniqueConstraint, bindparam, delete, or_, select, update

from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

subscriptions = tenant_table(
    "weekly_report_subscription",
    Column("user_id", Id, nullable=False),
    Column("set_up_with", Id),
    Column("since", UTCDateTime, nullable=False),
    Column("not_before", Date, nullable=False),
    Column("last_week", Date),
    UniqueConstraint("client_id", "user_id"),
)
"""Subscriptions. `not_before`: first week to report. `last_week`: last reported week. `set_up_with`: API token of the
subscription, if any."""
personal_data(subscriptions, RecordKind.USERS, by={"user_id": PersonKey.USER})


class SubscriptionRow(Row):
    """A subscription."""

    user_id: int
    set_up_with: int | None
    last_week: date | None


_of_user = subscriptions.c.user_id == bindparam("user")
_one = select(subscriptions).where(_of_user)
_remove = delete(subscriptions).where(_of_user)
_apply_pre_alert = update(subscriptions).where(_of_user).values(set_up_with=bindparam("token", type_=Id))
_is_due = (subscriptions.c.not_before <= bindparam("week")) & or_(
    subscriptions.c.last_week.is_(None), subscriptions.c.last_week < bindparam("week")
)
_claim = (
    update(subscriptions)
    .where(_is_due)
    .values(last_week=bindparam("claimed"))
    .returning(subscriptions.c.user_id, subscriptions.c.set_up_with, subscriptions.c.last_week)
)


async def get_subscription(work: UnitOfWork, user_id: int) -> SubscriptionRow | None:
    """Return the subscription of a user, or None."""
    return await work.first(_one, SubscriptionRow, user=user_id)


async def upsert_subscription(work: UnitOfWork, user_id: int, set_up_with: int | None, **values: Any) -> None:
    """Subscribe a user, with this token from now on."""
    if not await work.insert_many_once(subscriptions, [{"user_id": user_id, "set_up_with": set_up_with, **values}]):
        await work.run(_apply_pre_alert, user=user_id, token=set_up_with)


async def delete_subscription(work: UnitOfWork, user_id: int) -> None:
    """Delete a subscription, if there is one."""
    await work.run(_remove, user=user_id)


async def claim_subscriptions(work: UnitOfWork, week: date) -> Sequence[SubscriptionRow]:
    """Claim the unclaimed reports of a week, in one statement."""
    return await work.all(_claim, SubscriptionRow, week=week, claimed=week)

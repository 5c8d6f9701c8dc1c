"""Binding users to identities and phones."""

from datetime import datetime

from haulier.contexts.customer_apps.identities import store
from haulier.kernel.data.unit_of_work import UnitOfWork


async def bind_identity(work: UnitOfWork, *, issuer: str, subject: str, user_id: int, at: datetime) -> None:
    """Bind a user to an identity. Raises `UniqueConflict` if either is bound already."""
    await store.insert_identity_binding(work, issuer=issuer, subject=subject, user_id=user_id, at=at)


async def bind_phone(work: UnitOfWork, *, client_id: int, phone: str, user_id: int, at: datetime) -> None:
    """Bind a user to a verified phone.

    Raises `UniqueConflict` if another user of the client has it.
    """
    await store.insert_user_phone(work, client_id=client_id, phone=phone, user_id=user_id, at=at)

"""Who reads a dataset and who writes it."""

from collections.abc import Collection

from haulier.kernel.operations.enums import OFFICE, Account


def may_read(account: Account, readers: Collection[str] | None) -> bool:
    """Whether an account reads a dataset whose group has these readers; None: it is in no group, and the office reads it."""
    if account is Account.CLIENT_ADMIN:
        return True
    return account in OFFICE if readers is None else account.value in readers


def may_write(account: Account, readers: Collection[str] | None) -> bool:
    """Whether an account changes a dataset or its records: people of the office who read it."""
    return account in OFFICE and may_read(account, readers)

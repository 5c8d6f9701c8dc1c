"""Request and response models of the payment account. Responses have no secrets."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, SecretStr

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request

PROVIDER_CODE_MAX = 30
CredentialText = Annotated[SecretStr, Field(max_length=300)]
PaymentCredentials = Annotated[
    dict[Annotated[str, Field(min_length=1, max_length=40, pattern="^[a-z_]+$")], CredentialText],
    Field(
        max_length=10,
        examples=[{"secret_key": "sk_test_1", "publishable_key": "pk_test_1", "signing_secret": "whsec_1"}],
    ),
]


class SetPaymentAccount(Request):
    """The account that online payments go to."""

    provider: Annotated[str, Field(min_length=2, max_length=PROVIDER_CODE_MAX, pattern="^[A-Z0-9_]+$")] = Field(
        default="STRIPE", examples=["STRIPE"]
    )
    """A provider of `providers` in the answer to `get_payment_account`."""
    credentials: PaymentCredentials | None = None
    """Credentials that the provider requires, all of them. Stored encrypted and never shown again. Omit them to keep
    the stored ones."""
    test_mode: bool = False
    """Use the provider's test mode: no money moves."""
    active: bool = True
    """If true, customers can pay online. Payments in progress are followed in any case."""


class PaymentProviderRecord(Answer):
    """A provider of online payments."""

    provider: Annotated[str, doc("Code of the provider.", "STRIPE")]
    provider_name: str
    credentials_needed: list[str]


class PaymentAccount(Answer):
    """The account with a payment provider."""

    provider: str
    active: bool
    test_mode: bool
    credentials_set: Annotated[list[str], doc("Names of the stored credentials.")]
    events_path: Annotated[str, doc("Path below this server's address for the provider's notices.")]
    tested_at: datetime | None
    test_fault: Annotated[str | None, doc("Reason why the last test failed, in the provider's words.")]


class PaymentAccountAnswer(Answer):
    """The account, and the supported providers."""

    result: bool = True
    payment_account: Annotated[PaymentAccount | None, doc("Account, or null.")]
    providers: list[PaymentProviderRecord]


class PaymentAccountTest(Answer):
    """The provider's response to the credentials."""

    result: bool = True
    accepted: bool
    fault: Annotated[str | None, doc("Reason for a failure, in the provider's words.")]

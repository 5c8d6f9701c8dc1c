"""The account with a payment provider, in requests and answers. Secrets are never part of an answer."""

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
    """What the provider needs, all of it; kept encrypted and never shown again. What is kept stays when left out."""
    test_mode: bool = False
    """Use the provider's test mode: no money moves."""
    active: bool = True
    """Whether customers may pay online. Payments that were begun are followed in any case."""


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
    credentials_set: Annotated[list[str], doc("The names of the credentials that are kept.")]
    events_path: Annotated[str, doc("Where the provider sends its notices, below this server's address.")]
    tested_at: datetime | None
    test_fault: Annotated[str | None, doc("Why the last test failed, in the provider's words.")]


class PaymentAccountAnswer(Answer):
    """The account, and with whom there can be one."""

    result: bool = True
    payment_account: Annotated[PaymentAccount | None, doc("Null where there is none.")]
    providers: list[PaymentProviderRecord]


class PaymentAccountTest(Answer):
    """What the provider said to the credentials."""

    result: bool = True
    accepted: bool
    fault: Annotated[str | None, doc("Why not, in the provider's words.")]

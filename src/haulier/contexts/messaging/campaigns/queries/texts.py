"""Texts as they are sent."""

from collections.abc import Mapping

from haulier.contexts.messaging.campaigns.rules.laws import MessagePurpose
from haulier.contexts.messaging.campaigns.rules.texts import fill_variables, with_opt_out
from haulier.contexts.messaging.campaigns.store.tables import SmsMarketingRow
from haulier.kernel.application import Application

SAMPLE_LINK = "/s/1-1-1-abcd"
"""A short link for previews, as long as most."""


def finished_text(
    app: Application,
    settings: SmsMarketingRow,
    text: str,
    values: Mapping[str, str],
    purpose: MessagePurpose,
    language: str,
) -> str:
    """Return a text with its variables; one of marketing names its sender and says how to end it.

    Raises `MissingVariable`.
    """
    filled = fill_variables(text, values)
    if purpose is MessagePurpose.NOTIFICATION:
        return filled
    return with_opt_out(filled, app.catalogues.translate(language, "sms_opt_out_hint"), settings.business_name)

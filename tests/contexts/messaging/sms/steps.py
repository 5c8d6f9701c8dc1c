"""An own account with a provider of text messages, and a phone to try it on."""

from tests.adapters.fake_sms_provider import ACCOUNT, TOKEN
from tests.contexts.customer_apps.registration.steps import E164

SENDER = "+15005550006"
OWN = {"provider": "twilio", "account": ACCOUNT, "secret": TOKEN, "sender": SENDER}
PHONE = {"phone": E164}

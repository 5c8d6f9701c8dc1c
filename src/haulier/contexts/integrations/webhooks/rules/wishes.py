"""What a client may wish for: which events for whom."""

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from haulier.contexts.integrations.webhooks.rules.addresses import why_not
from haulier.contexts.integrations.webhooks.rules.codebook import BY_NAME, EVERY
from haulier.kernel.errors import Fault


class Wish(Struct, frozen=True, kw_only=True):
    """An address that is to be told of some events, on behalf of a customer where one is named."""

    url: str
    events: Sequence[str]
    customer_id: int | None = None


def faults(wishes: Sequence[Wish], *, customers: Collection[int], private: bool) -> Iterator[Fault]:
    """What is wrong with wishes: addresses that nothing may be posted to, people who are no customers, news not for them."""
    for place, wish in enumerate(wishes):
        at = f"endpoints.{place}"
        if why := why_not(wish.url, private=private):
            yield Fault(f"{at}.url", f"field.webhook_url_{why}")
        if wish.customer_id is None:
            continue
        if wish.customer_id not in customers:
            yield Fault(f"{at}.customer_id", "field.webhook_customer_unknown")
        for number, name in enumerate(wish.events):
            if name != EVERY and not BY_NAME[name].for_customers:
                yield Fault(f"{at}.events.{number}", "field.webhook_event_not_for_customers")

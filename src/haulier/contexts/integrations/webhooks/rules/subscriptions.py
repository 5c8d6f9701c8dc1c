"""What a client may wish for: which events for whom."""

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from haulier.contexts.integrations.webhooks.rules.addresses import check_webhook_url
from haulier.contexts.integrations.webhooks.rules.event_catalog import ALL_EVENTS, EVENT_BY_NAME
from haulier.kernel.operations.errors import FieldError


class EventSubscription(Struct, frozen=True, kw_only=True):
    """An address that is to be told of some events, on behalf of a customer where one is named."""

    url: str
    events: Sequence[str]
    customer_id: int | None = None


def check_subscriptions(
    wishes: Sequence[EventSubscription], *, customers: Collection[int], private: bool
) -> Iterator[FieldError]:
    """What is wrong with wishes: addresses that nothing may be posted to, people who are no customers, news not for them."""
    for place, wish in enumerate(wishes):
        at = f"endpoints.{place}"
        if why := check_webhook_url(wish.url, private=private):
            yield FieldError(f"{at}.url", f"field.webhook_url_{why}")
        if wish.customer_id is None:
            continue
        if wish.customer_id not in customers:
            yield FieldError(f"{at}.customer_id", "field.webhook_customer_unknown")
        for number, name in enumerate(wish.events):
            if name != ALL_EVENTS and not EVENT_BY_NAME[name].for_customers:
                yield FieldError(f"{at}.events.{number}", "field.webhook_event_not_for_customers")

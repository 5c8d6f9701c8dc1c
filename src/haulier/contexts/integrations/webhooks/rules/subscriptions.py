"""What a client may subscribe to: which events, for whom."""

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from haulier.contexts.integrations.webhooks.rules.addresses import check_webhook_url
from haulier.contexts.integrations.webhooks.rules.event_catalog import ALL_EVENTS, EVENT_BY_NAME
from haulier.kernel.operations.errors import FieldError


class EventSubscription(Struct, frozen=True, kw_only=True):
    """An address and the events posted to it, on behalf of a customer where one is named."""

    url: str
    events: Sequence[str]
    customer_id: int | None = None


def check_subscriptions(
    subscriptions: Sequence[EventSubscription], *, customers: Collection[int], private: bool
) -> Iterator[FieldError]:
    """Faults: addresses that nothing may be posted to, users who are no customers, events that customers do not get."""
    for index, subscription in enumerate(subscriptions):
        path = f"endpoints.{index}"
        if reason := check_webhook_url(subscription.url, private=private):
            yield FieldError(f"{path}.url", f"field.webhook_url_{reason}")
        if subscription.customer_id is None:
            continue
        if subscription.customer_id not in customers:
            yield FieldError(f"{path}.customer_id", "field.webhook_customer_unknown")
        for number, name in enumerate(subscription.events):
            if name != ALL_EVENTS and not EVENT_BY_NAME[name].for_customers:
                yield FieldError(f"{path}.events.{number}", "field.webhook_event_not_for_customers")

"""Payment link page: amount due and card payment without an account.

The link is in the URL fragment, which browsers do not send; the page's script sends it in a body.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.payments.payment_links.operations import get_payment_link, start_linked_payment
from haulier.contexts.payments.public import PaymentProviderDirectory
from haulier.web.rendering import extend_policy, render_page
from haulier.web.script_calls import answer_anybody, find_operation, script_words
from haulier.web.session import app_of

PAY_OPERATIONS = frozenset(
    {
        get_payment_link.name,
        start_linked_payment.name,
        "get_linked_shop_purchase",
        "start_linked_shop_payment",
        "renew_linked_shop_code",
    }
)
"""Operations for the page's script. Calls carry the link; cookies are ignored."""


PROVIDER_DIRECTIVES = ("script-src", "frame-src", "connect-src")
"""Directives of the content security policy that allow the payment provider."""


def pay_routes() -> list[BaseRoute]:
    """`/pay` and the calls of its script."""
    return [
        Route("/pay", pay_page, methods=["GET"]),
        Route("/pay/ask/{operation}", call_pay_operation, methods=["POST"]),
    ]


async def pay_page(request: Request) -> Response:
    """Render the page.

    Only here, scripts and frames of the payment provider are allowed.
    """
    sources = " ".join(app_of(request).adapter(PaymentProviderDirectory).page_sources)
    response = render_page(request, "pay.html", words=script_words(request, {"": "pay."}))
    policy = response.headers["Content-Security-Policy"]
    response.headers["Content-Security-Policy"] = extend_policy(policy, sources, PROVIDER_DIRECTIVES)
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


async def call_pay_operation(request: Request) -> Response:
    """Return the answer of an operation for the link in the body."""
    return await answer_anybody(request, find_operation(request, PAY_OPERATIONS))

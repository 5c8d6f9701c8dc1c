"""Example program for the client of openapi-python-client.

It signs in, creates an order, follows the parcel and prints its status.
"""

import sys

from haulier_client import AuthenticatedClient, Client
from haulier_client.api.client import create_order
from haulier_client.api.tracking import track_package
from haulier_client.api.user import login
from haulier_client.models import CreatedOrder, CreateOrder, Login, LoginSession, OrderAddress, PackageTracking

base, email, password, reference = sys.argv[1:]
session = login.sync(client=Client(base_url=base), body=Login(email=email, password=password))
assert isinstance(session, LoginSession), session
client = AuthenticatedClient(base_url=base, token=session.access_token)
there = OrderAddress(name="Ada Lovelace", address="100 Queen St W", city="Toronto", country="CA")
created = create_order.sync(client=client, body=CreateOrder(order_ref=reference, consignee=there))
assert isinstance(created, CreatedOrder), created
tracking = track_package.sync(created.order.tracking_number, client=Client(base_url=base))
assert isinstance(tracking, PackageTracking), tracking
print(tracking.status)

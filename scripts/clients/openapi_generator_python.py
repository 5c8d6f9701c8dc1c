"""Example program for the Python client of openapi-generator.

It signs in, creates an order, follows the parcel and prints its status.
"""

import sys

from haulier_client import ApiClient, ClientApi, Configuration, TrackingApi, UserApi
from haulier_client.models.create_order import CreateOrder
from haulier_client.models.login import Login
from haulier_client.models.order_address import OrderAddress

base, email, password, reference = sys.argv[1:]
session = UserApi(ApiClient(Configuration(host=base))).login(Login(email=email, password=password))
client = ApiClient(Configuration(host=base, access_token=session.access_token))
there = OrderAddress(name="Ada Lovelace", address="100 Queen St W", city="Toronto", country="CA")
created = ClientApi(client).create_order(create_order=CreateOrder(order_ref=reference, consignee=there))
print(TrackingApi(client).track_package(created.order.tracking_number).status)

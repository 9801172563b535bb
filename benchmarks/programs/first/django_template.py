# function: orders_page
# share: 86
# caller: visit
# words: 8,?0[08]0|\b10[01]\b
"""A Django page of a hundred orders. Its template asks for the customer of each, by a query."""

import sys

import django
from django.conf import settings

PAGE = "{% for order in orders %}{{ order.number }}: {{ order.customer.name }}\n{% endfor %}"
TEMPLATES = {
    "BACKEND": "django.template.backends.django.DjangoTemplates",
    "OPTIONS": {"loaders": [("django.template.loaders.locmem.Loader", {"orders.html": PAGE})]},
}

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    ROOT_URLCONF=sys.modules[__name__],
    TEMPLATES=[TEMPLATES],
)
django.setup()

from django.db import connection, models  # noqa: E402
from django.shortcuts import render  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import path  # noqa: E402


class Customer(models.Model):
    name = models.CharField(max_length=40)

    class Meta:
        app_label = "shop"


class Order(models.Model):
    number = models.IntegerField()
    customer = models.ForeignKey(Customer, models.CASCADE)

    class Meta:
        app_label = "shop"


def orders_page(request):
    return render(request, "orders.html", {"orders": Order.objects.order_by("number")})


urlpatterns = [path("orders", orders_page)]


def fill():
    with connection.schema_editor() as editor:
        editor.create_model(Customer)
        editor.create_model(Order)
    for number in range(100):
        customer = Customer.objects.create(name=f"customer {number}")
        Order.objects.create(number=number, customer=customer)


def visit(client, times):
    return sum(len(client.get("/orders").content) for _ in range(times))


fill()
print(visit(Client(), 80))

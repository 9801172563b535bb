"""Pages of tables, made by Django's templates: many classes, small functions, strings."""

import django
from django.conf import settings
from django.template import Context, Engine

TEMPLATE = """<table>
{% for row in table %}<tr class="{% cycle 'odd' 'even' %}">{% for cell in row %}
<td>{% if forloop.first %}{{ cell|upper }}{% else %}{{ cell|default:"-" }}{% endif %}</td>
{% endfor %}</tr>{% endfor %}
</table>"""


def made():
    """Returns the template."""
    if not settings.configured:
        settings.configure()
        django.setup()  # cells that are numbers are written by a locale
    return Engine().from_string(TEMPLATE)


def render(template, size):
    table = [[f"row {row}", *range(size)] for row in range(size)]
    return template.render(Context({"table": table}))


if __name__ == "__main__":
    print(len(render(made(), 100)))

"""speedscope's published schema, held against exports to speedscope."""

import pytest

from reading import MODULES, PACKAGES, exported, need, run_package

NEEDS = "npm:speedscope@1.25.0 pip:jsonschema==4.26.0"
SCHEMA = MODULES / "speedscope/dist/release/file-format-schema.json"

VALIDATE = """
import json, jsonschema, sys
document, schema = (json.load(open(path)) for path in sys.argv[1:])
jsonschema.validate(document, schema, cls=jsonschema.Draft7Validator)
"""


def test_speedscope_keeps_its_published_schema(either):
    need(SCHEMA.exists() and PACKAGES.exists(), "speedscope's schema, or jsonschema")
    run_package("-c", VALIDATE, str(exported(either, "speedscope")), str(SCHEMA))


def test_the_schema_is_looked_at(profile):
    need(SCHEMA.exists() and PACKAGES.exists(), "speedscope's schema, or jsonschema")
    path = exported(profile, "speedscope")
    spoilt = path.with_name("spoilt.json")
    spoilt.write_text(path.read_text().replace('"unit": "nanoseconds"', '"unit": "fortnights"'))
    with pytest.raises(AssertionError, match="ValidationError"):
        run_package("-c", VALIDATE, str(spoilt), str(SCHEMA))

"""speedscope's published schema, held against exports to speedscope, and its page."""

import pytest

from logs import Log
from reading import MODULES, PACKAGES, exported, need, run_package, run_viewer

NEEDS = "chromium npm:speedscope@1.25.0 pip:jsonschema==4.26.0 pip:playwright==1.65.2"
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


def test_speedscope_imports_each_slice(timed):
    """Its own importer, in its page."""
    page = SCHEMA.parent
    need(page.exists() and (PACKAGES / "playwright").exists(), "speedscope, or playwright")
    log = Log(timed)
    [found] = run_viewer("speedscope", page, [], exported(timed, "speedscope"))
    assert set(found) == set(log.slices)
    for thread, slices in log.slices.items():
        wanted = [(log.plain_name(name), *rest) for name, *rest in slices]
        assert list(map(tuple, found[thread])) == wanted, thread

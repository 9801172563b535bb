"""These tests are not among those of `make test-python`: `make test-frameworks` runs them, once, on
one interpreter."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "python" / "helpers"))
pytest_plugins = ["once_more", "workers"]

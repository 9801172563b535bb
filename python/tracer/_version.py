"""The version of the distribution: the one place it is written (SemVer).

Nothing else is here, so that the build can read it without importing the package.
"""

__version__ = "0.1.0"

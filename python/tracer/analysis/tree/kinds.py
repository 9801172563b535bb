"""The kinds of nodes that an outline has."""

THREAD = "thread"
OWN = "own"  # a function of the program
OPENED = "opened"  # one of a package that stands open, or one that a package made from text
BUILT_IN = "builtin"
PACKAGE = "package"
IMPORT = "import"

FUNCTIONS = (OWN, OPENED)  # those that are one function in a file

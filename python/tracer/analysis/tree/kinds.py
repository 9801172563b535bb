"""The kinds of nodes that an outline has."""

THREAD = "thread"
OWN = "own"  # a function of the program, or one that a library made from text for it
OPENED = "opened"  # one of a package that stands open
BUILT_IN = "builtin"
PACKAGE = "package"
IMPORT = "import"

FUNCTIONS = (OWN, OPENED)  # those that are one function in a file

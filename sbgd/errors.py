"""The one exception that means: the input or the usage is wrong, not the program."""


class InputError(ValueError):
    """Says in one line what was expected, what came and what to do; the command line prints it and exits with 2."""

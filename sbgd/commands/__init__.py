"""One module a verb of the command line: `add_parser` describes it, `run` does it."""

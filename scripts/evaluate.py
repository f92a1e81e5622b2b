"""Same as `sbgd evaluate`: python scripts/evaluate.py GENERATED --reference REFERENCE."""

import sys

from sbgd.cli import main

if __name__ == "__main__":
    sys.exit(main(["evaluate", *sys.argv[1:]]))

"""The same as `sbgd evaluate`, for those who prefer a script: python scripts/evaluate.py --help."""

import sys

from sbgd.cli import main

if __name__ == "__main__":
    sys.exit(main(["evaluate", *sys.argv[1:]]))

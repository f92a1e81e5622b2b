"""The same as `sbgd sample`, for those who prefer a script: python scripts/sample.py --help."""

import sys

from sbgd.cli import main

if __name__ == "__main__":
    sys.exit(main(["sample", *sys.argv[1:]]))

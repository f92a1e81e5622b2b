"""The same as `sbgd fit`, for those who prefer a script: python scripts/train.py --help."""

import sys

from sbgd.cli import main

if __name__ == "__main__":
    sys.exit(main(["fit", *sys.argv[1:]]))

"""`python -m genial.cli`, the same as `genial`."""

import sys

from genial.cli import main

if __name__ == "__main__":
    sys.exit(main())

"""`python -m genial.bot`."""

import sys

from genial.bot.main import main

if __name__ == "__main__":
    sys.exit(main())

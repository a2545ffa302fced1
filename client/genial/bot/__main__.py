"""`python -m genial.bot`."""

import os
import sys

# As in `genial.cli.entry`; it has to be there before gRPC is imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from genial.bot.main import main

if __name__ == "__main__":
    sys.exit(main())

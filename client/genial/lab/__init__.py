"""The laboratory: measuring levels against each other, and training their evaluation.

    genial arena LEVEL LEVEL …      who wins, with intervals (`arena`, `statistics` in `strategy`)
    python -m genial.lab.train      makes the models in `genial.strategy.models` anew (`make train`)

Stands on `genial.strategy` and the engine alone: games in the laboratory need no host.
"""

"""Trained weights, as Python literals: nothing is read from disk to play.

Each module says how it was made.
"""

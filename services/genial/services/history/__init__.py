"""Finished games: their list, their records, and statistics over them."""

from genial.services.history.handler import HistoryHandler

__all__ = ["HistoryHandler"]

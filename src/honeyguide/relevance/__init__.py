"""Relevance: tokens, and the models that score spans of them."""

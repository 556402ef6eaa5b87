"""Semantic similarity: different words may still refer to the same things."""

"""Similarity of meaning: words that are not the same may still speak of the same things."""

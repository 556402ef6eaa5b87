"""Models that learn from examples: fitted with scikit-learn, then stored and scored as plain arrays."""

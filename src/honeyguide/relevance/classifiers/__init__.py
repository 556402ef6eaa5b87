"""Models that learn from examples: fitted with scikit-learn, then kept and scored as plain arrays."""

"""Benchmarks of crawls on several machines: ``python -m benchmarks.cluster --help``."""

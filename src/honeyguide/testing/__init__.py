"""Checks for relevance models and strategies of other packages; the built-in ones pass the same checks.

Each checks a model or a strategy against the rules that crawls and comparisons rely on, and raises `AssertionError`
with the rule that is broken. They need neither a test framework nor a network:

    from honeyguide.testing import check_model, check_strategy

    def test_my_model():
        check_model("my_package.models:MyModel")

    def test_my_strategy():
        check_strategy("my_package.strategies:RECIPE(window=40)")
"""

from honeyguide.testing.models import check_model
from honeyguide.testing.strategies import check_strategy

__all__ = ["check_model", "check_strategy"]

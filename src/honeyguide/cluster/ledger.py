"""Who may fetch how many pages: never more in all than the budget has, whatever is lost on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any


@dataclass(slots=True)
class Account:
    """What one shard was given since it was last started."""

    life: int
    """How often it was started: what an earlier life was given and has not used is void."""
    start: int
    """Pages that it had when it was started."""
    granted: int = 0
    """Pages that it was given since."""
    returned: int = 0
    """Pages of these that it has given back."""
    used: int = 0
    """Pages of these that it has fetched, as far as is known."""

    @property
    def most(self) -> int:
        """The most pages that it can have."""
        return self.start + self.granted - self.returned

    @property
    def unused(self) -> int:
        """Pages that it may still fetch, as far as is known."""
        return self.granted - self.returned - self.used


class GrantLedger:
    """The accounts of all shards. The sum of what they may have is never more than the budget.

    All amounts of an account only grow during a life, so a report that comes twice, late or not at all does no harm. A
    new life begins without a grant: nothing that was given to the one before can be used any more, since only one
    process at a time can write to the shard's folder.
    """

    def __init__(self, accounts: Mapping[str, Account] | None = None) -> None:
        self.accounts: dict[str, Account] = dict(accounts or {})

    def report(self, shard: str, life: int, start: int, used: int, returned: int) -> bool:
        """A shard says what it has. Returns False if that is from an earlier life."""
        account = self.accounts.get(shard)
        if account is None or life > account.life:
            self.accounts[shard] = Account(life, start, 0, 0, used)
            return True
        if life < account.life:
            return False
        account.used = max(account.used, used)
        account.returned = max(account.returned, returned)
        return True

    def free(self, budget: int) -> float:
        """How many pages of a budget nobody was given; inf without a limit (0)."""
        return max(budget - sum(account.most for account in self.accounts.values()), 0) if budget else inf

    def grant(self, shard: str, pages: int, budget: int) -> int:
        """Give a shard some more pages, as far as there are any. Returns how many."""
        given = int(min(max(pages, 0), self.free(budget)))
        self.accounts[shard].granted += given
        return given

    def dump(self) -> dict[str, Any]:
        """All accounts, as plain data."""
        names = Account.__slots__  # `asdict` would take ten times as long
        return {shard: {name: getattr(one, name) for name in names} for shard, one in self.accounts.items()}

    @classmethod
    def load(cls, found: Mapping[str, Mapping[str, int]]) -> GrantLedger:
        """The accounts that `dump` returned."""
        return cls({shard: Account(**values) for shard, values in found.items()})

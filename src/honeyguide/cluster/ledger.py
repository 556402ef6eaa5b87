"""How many pages each shard may fetch: never more in total than the budget, whichever messages are lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any


@dataclass(slots=True)
class Account:
    """The pages granted to one shard since it was last started."""

    life: int
    """How many times the shard was started: unused grants of earlier lives are void."""
    start: int
    """Pages that it had fetched when it was started."""
    granted: int = 0
    """Pages granted since."""
    returned: int = 0
    """Granted pages that it has returned."""
    used: int = 0
    """Granted pages that it has fetched, according to its latest report."""

    @property
    def most(self) -> int:
        """The most pages that it can have fetched in the end."""
        return self.start + self.granted - self.returned

    @property
    def unused(self) -> int:
        """Pages that it may still fetch, according to its latest report."""
        return self.granted - self.returned - self.used


class GrantLedger:
    """The accounts of all shards. The sum of their `most` never exceeds the budget.

    All amounts of an account only grow during a life, so a report that is repeated, late or lost does no harm. A new
    life starts without a grant: grants to the previous life can no longer be used, since only one process at a time
    can write to the shard's folder.
    """

    def __init__(self, accounts: Mapping[str, Account] | None = None) -> None:
        self.accounts: dict[str, Account] = dict(accounts or {})

    def report(self, shard: str, life: int, start: int, used: int, returned: int) -> bool:
        """Record what a shard has used and returned. Returns False if the report is from an earlier life."""
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
        """How many pages of a budget have not been granted; inf for a budget of 0, which is no limit."""
        return max(budget - sum(account.most for account in self.accounts.values()), 0) if budget else inf

    def grant(self, shard: str, pages: int, budget: int) -> int:
        """Grant a shard up to `pages` more pages, as far as the budget allows. Returns how many."""
        granted = int(min(max(pages, 0), self.free(budget)))
        self.accounts[shard].granted += granted
        return granted

    def dump(self) -> dict[str, Any]:
        """Return all accounts as plain data."""
        names = Account.__slots__  # `asdict` would take ten times as long
        return {shard: {name: getattr(one, name) for name in names} for shard, one in self.accounts.items()}

    @classmethod
    def load(cls, found: Mapping[str, Mapping[str, int]]) -> GrantLedger:
        """Restore the accounts that `dump` returned."""
        return cls({shard: Account(**values) for shard, values in found.items()})

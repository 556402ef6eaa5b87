"""The protocol between shards, and between shards and the coordinator, over networks that lose, repeat and reorder."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.cluster.leases import LEASE, MARGIN, AddressOwner, LeaseRequest
from honeyguide.cluster.ledger import GrantLedger
from honeyguide.cluster.mail import ItemInbox, ItemOutbox, Parcel
from honeyguide.cluster.ring import Ring


class Sender:
    """A shard that has items for another: what is on its disk survives a crash, the rest does not."""

    def __init__(self) -> None:
        self.disk: dict[int, bytes] = {}
        self.last = 0
        self.made = 0  # items that are on its disk, or were
        self.start()

    def start(self) -> None:
        kept = {"b": min(self.disk)} if self.disk else {}
        self.outbox = ItemOutbox(self.read, {"b": self.last}, kept)
        self.pending: list[bytes] = []

    def read(self, _receiver: str, first: int, most: int) -> list[tuple[int, bytes]]:
        return [(number, self.disk[number]) for number in sorted(self.disk) if number >= first][:most]

    def make(self) -> None:
        item = f"item {self.made + len(self.pending)}".encode()
        self.pending.append(item)
        self.outbox.add("b", item)

    def commit(self) -> None:
        new, deleted, last = self.outbox.take_changes()
        self.disk |= {number: item for _, number, item in new}
        for _, number in deleted:
            self.disk = {one: item for one, item in self.disk.items() if one > number}
        self.last = last.get("b", 0)
        self.made += len(self.pending)
        self.pending = []
        self.outbox.committed(last)


class Receiver:
    def __init__(self) -> None:
        self.safe: list[bytes] = []
        self.start()

    def start(self) -> None:
        self.inbox = ItemInbox({"a": len(self.safe)})
        self.applied = list(self.safe)

    def receive(self, parcel: Parcel) -> None:
        self.applied += self.inbox.accept("a", parcel.first, parcel.items)

    def commit(self) -> None:
        self.safe = list(self.applied)
        self.inbox.committed(self.inbox.applied())


ACTIONS = ("make", "make", "commit a", "commit b", "send", "arrive", "arrive again", "answer", "crash a", "crash b")


@given(st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 9)), max_size=120))
def test_every_item_has_its_effect_once(actions: list[tuple[str, int]]) -> None:
    sender, receiver = Sender(), Receiver()
    parcels: list[Parcel] = []
    answers: list[int] = []
    for action, choice in [*actions, *[(one, 0) for one in ("commit a", "send", "last", "commit b", "answer")] * 3]:
        match action:
            case "make":
                sender.make()
            case "commit a":
                sender.commit()
            case "commit b":
                receiver.commit()
            case "send":
                parcels.append(Parcel("a", "b", *sender.outbox.parcel("b")))
            case "last":
                receiver.receive(parcels[-1])
            case "arrive" if parcels:  # in any order, or never
                receiver.receive(parcels.pop(choice % len(parcels)))
            case "arrive again" if parcels:
                receiver.receive(parcels[choice % len(parcels)])
            case "answer":
                answers.append(receiver.inbox.safe("a"))
                sender.outbox.acknowledge("b", answers[choice % len(answers)])
            case "crash a":
                sender.start()
            case "crash b":
                receiver.start()
    assert receiver.safe == [f"item {number}".encode() for number in range(sender.made)]
    sender.outbox.acknowledge("b", receiver.inbox.safe("a"))
    assert sender.outbox.waiting == 0


@given(
    budget=st.integers(1, 40),
    actions=st.lists(
        st.tuples(
            st.sampled_from(("fetch", "commit", "report", "late report", "orders", "return", "crash", "coordinator")),
            st.integers(0, 2),
            st.integers(0, 12),
        ),
        max_size=150,
    ),
)
def test_the_budget_is_never_exceeded(budget: int, actions: list[tuple[str, int, int]]) -> None:
    ledger = GrantLedger()
    saved = ledger.dump()
    shards = [{"life": 1, "start": 0, "granted": 0, "returned": 0, "pages": 0, "safe": 0} for _ in range(3)]
    reports: list[tuple[int, int, int, int, int]] = []
    orders: list[tuple[int, int, int]] = []
    for number in range(3):
        ledger.report(str(number), 1, 0, 0, 0)
    saved = ledger.dump()
    for action, number, amount in actions:
        one = shards[number]
        left = one["granted"] - one["returned"] - (one["pages"] - one["start"])
        match action:
            case "fetch":
                one["pages"] += min(amount, left)
            case "return":
                one["returned"] += min(amount, left)
            case "commit":
                one["safe"] = one["pages"]
            case "report":
                used = one["pages"] - one["start"]
                reports.append((number, one["life"], one["start"], used, one["returned"]))
                ledger.report(str(number), *reports[-1][1:])
                ledger.grant(str(number), amount, budget)
                saved = ledger.dump()  # before anybody hears of it
                account = ledger.accounts[str(number)]
                orders.append((number, account.life, account.granted))
            case "late report" if reports:
                late = reports[amount % len(reports)]
                ledger.report(str(late[0]), *late[1:])
            case "orders" if orders:
                receiver, life, granted = orders[amount % len(orders)]
                if shards[receiver]["life"] == life:
                    shards[receiver]["granted"] = max(shards[receiver]["granted"], granted)
            case "crash":
                safe = one["safe"]
                shards[number] = {**one, "life": one["life"] + 1, "start": safe, "granted": 0, "returned": 0}
                shards[number]["pages"] = safe
            case "coordinator":
                ledger = GrantLedger.load(saved)
        assert sum(shard["pages"] for shard in shards) <= budget


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(("want", "release", "restart")), st.floats(0, 20))))
def test_an_address_is_lent_to_one_shard_at_a_time(actions: list[tuple[str, str, float]]) -> None:
    now = 0.0
    owner = AddressOwner(now, is_first=True)
    until = dict.fromkeys("abc", 0.0)
    rests = 0.0
    for number, (shard, action, passed) in enumerate(actions):
        now += passed
        if action == "restart":
            owner = AddressOwner(now, is_first=False)
        elif action == "release":
            if until[shard] > now:
                owner.answer(shard, LeaseRequest((1, number), (), {"1.2.3.4": 5.0}), now)
                until[shard], rests = 0.0, max(rests, now + 5.0)
        else:
            answer = owner.answer(shard, LeaseRequest((1, number), ("1.2.3.4",)), now)
            if "1.2.3.4" in answer.granted:
                assert all(end <= now for other, end in until.items() if other != shard)
                until[shard] = now + LEASE


def test_a_late_request_for_an_address_changes_nothing() -> None:
    owner = AddressOwner(0.0, is_first=True)
    assert owner.answer("a", LeaseRequest((1, 2), ("x",)), 1.0).granted
    owner.answer("a", LeaseRequest((1, 1), (), {"x": 0.0}), 2.0)
    assert not owner.answer("b", LeaseRequest((1, 1), ("x",)), 3.0).granted
    assert owner.answer("a", LeaseRequest((1, 3), ("x",)), 3.5).recalled == ("x",)


def test_the_delay_of_an_address_is_kept_if_its_lease_ends_without_a_word() -> None:
    delay = 60.0
    owner = AddressOwner(0.0, is_first=True, delay=delay)
    assert owner.answer("a", LeaseRequest((1, 1), ("x",)), 0.0).granted  # it dies, or its release is lost
    last = LEASE - MARGIN
    rest = owner.answer("b", LeaseRequest((1, 1), ("x",)), LEASE + 1.0).granted["x"]
    assert LEASE + 1.0 + rest == last + delay

    second = AddressOwner(0.0, is_first=False, delay=delay)  # it does not know what the first one has lent
    assert not second.answer("b", LeaseRequest((1, 2), ("x",)), last + delay - 1.0).granted
    assert second.answer("b", LeaseRequest((1, 3), ("x",)), last + delay).granted


@given(st.lists(st.text("abcxyz.", min_size=1, max_size=12), min_size=1, max_size=50, unique=True))
def test_with_one_shard_more_names_move_to_that_one_only(hosts: list[str]) -> None:
    before, after = Ring(["00", "01", "02"]), Ring(["00", "01", "02", "03"])
    for host in hosts:
        assert after.owner_of_name(host) in (before.owner_of_name(host), "03")


def test_all_hosts_of_a_domain_belong_to_one_shard_and_shares_are_even() -> None:
    ring = Ring([f"{number:02}" for number in range(8)])
    assert ring.owner("http://a.example.org/x") == ring.owner("https://b.example.org:8080/")
    counts = [0] * 8
    for number in range(4000):
        counts[int(ring.owner(f"http://site{number}.example/"))] += 1
    assert min(counts) > 400
    assert max(counts) < 600

"""What the search says of what it rejects."""

from tierplan.domain.plan import Finding
from tierplan.load import catalogue, read_stack
from tierplan.plan import make_plan
from tierplan.plan.search import _rejection, _Tried


def test_a_rejection_says_each_sentence_once():
    hot = make_plan(read_stack("demo"), catalogue()).tiers["hot"]
    findings = tuple(
        Finding(policy=policy, level="mandatory", tier="hot", message=message, remedy="more racks")
        for policy, message in (("hot-layout", "too few racks"), ("hot-node", "too few racks"), ("hot-layout", "wide"))
    )
    rejection = _rejection(_Tried(plan=hot, against=findings), "hot")
    assert rejection.reason == "too few racks; wide"
    assert rejection.wins_if == "more racks"

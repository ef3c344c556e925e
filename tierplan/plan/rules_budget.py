"""The rules of money."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan.domain.plan import Finding
from tierplan.plan.rule import TOLERANCE, PlanCase, StackRule, stack_rule

MOST_NAMED = 4


def monthly_budget(case: PlanCase) -> Iterator[Finding]:
    """The storage costs no more a month than the budget; a cost that is not whole is not within any budget."""
    budget, cost = case.stack.targets.budget.monthly, case.cost
    if budget is None or cost is None:
        return
    currency = cost.currency
    if cost.monthly is None:
        storage = [word for word in cost.unknown if word != "GPU hours"]
        more = f" and {len(storage) - MOST_NAMED} more" if len(storage) > MOST_NAMED else ""
        yield Finding(
            policy="budget-monthly",
            level="mandatory",
            required=budget,
            planned=cost.known_monthly,
            unit=currency,
            message=f"the storage's cost is incomplete: {cost.known_monthly:,.0f} {currency} a month are known, "
            f"the price of {', '.join(storage[:MOST_NAMED])}{more} is not; the budget is {budget:,.0f} {currency}",
            remedy="name the missing prices in a file of tierplan:prices, or leave targets.budget.monthly out",
        )
    elif cost.monthly > budget * (1 + TOLERANCE):
        dearest = max(cost.lines, key=lambda line: line.monthly)
        yield Finding(
            policy="budget-monthly",
            level="mandatory",
            required=budget,
            planned=cost.monthly,
            unit=currency,
            message=f"the storage costs {cost.monthly:,.0f} {currency} a month, the budget is "
            f"{budget:,.0f} {currency}; most of it is {dearest.item}: {dearest.monthly:,.0f} {currency}",
            remedy="ask less of the storage (asynchronous checkpoints, fewer kept, packed files), or raise the budget",
        )


STACK_RULES: tuple[StackRule, ...] = (
    stack_rule("budget-monthly", "mandatory", "medium", "The storage costs no more than its budget.", monthly_budget),
)

"""The policy pack: constructing it serves it and never returns, so the rules are elsewhere."""

from pulumi_policy import EnforcementLevel, PolicyPack
from rules import policies

PolicyPack("tierplan", policies(), enforcement_level=EnforcementLevel.MANDATORY)

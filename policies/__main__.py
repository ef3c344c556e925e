"""The policy pack: constructing it serves it and never returns, so the rules are elsewhere."""

from threading import Thread

from pulumi_policy import EnforcementLevel, PolicyPack

from pack import policies, warm

Thread(target=warm, daemon=True).start()
PolicyPack("tierplan", policies(), enforcement_level=EnforcementLevel.MANDATORY)

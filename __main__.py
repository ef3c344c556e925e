"""The storage of one stack file: `pulumi preview --stack demo` reads ``stacks/Pulumi.demo.yaml``."""

from tierplan_pulumi import preview_stack

preview_stack()

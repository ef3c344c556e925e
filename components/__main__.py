"""The plugin as a folder, which newer engines start themselves; `pulumi-resource-tierplan` is the same as one file."""

from tierplan_pulumi.hosting import serve

serve()

"""The component for programs in other languages: what the plugin `pulumi-resource-tierplan` serves."""

from inspect import cleandoc

from pulumi.provider.experimental import component_provider_host

from tierplan import __version__
from tierplan_pulumi.storage import TieredStorage


def serve() -> None:
    """Answer the engine until it is done; the first line on standard output is the port, so nothing may be printed."""
    TieredStorage.__doc__ = cleandoc(TieredStorage.__doc__ or "")  # the schema's text, the same on every Python
    component_provider_host(components=[TieredStorage], name="tierplan", version=__version__)

"""The password of a metadata engine: a secret of the stack's configuration, in no file and no message."""

import pulumi

SECRETS, PASSWORD = "tierplan-secrets", "metadata-password"


def password(name: str, how_long: str = "16 to 128 letters and digits") -> pulumi.Output[str]:
    """
    The secret `tierplan-secrets:metadata-password`.

    Raises:   RunError at `pulumi up` if there is none; a preview goes on with a stand-in that nobody uses
    """
    found = pulumi.Config(SECRETS).get_secret(PASSWORD)
    if found is not None:
        return found
    how = f"pulumi config set --secret {SECRETS}:{PASSWORD} ({how_long})"
    if not pulumi.runtime.is_dry_run():
        message = f"{name}: the metadata engine has no password; {how}"
        raise pulumi.RunError(message)
    pulumi.warn(f"{name}: `pulumi up` will ask for the password of the metadata engine: {how}")
    return pulumi.Output.secret("set-before-pulumi-up")

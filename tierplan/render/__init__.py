"""
Native configuration of the chosen products: plan -> path -> text, and text -> disk, all files or none.

    10-hot-weka/01-check-hosts.sh …     in the order to run
    20-cold-ceph-rgw/…
    30-hot-weka-after-cold/…            what needs the cold tier to be there
    50-local-alluxio/…                  drives and cache software of the GPU nodes
    60-train-io/…  70-data-path/…       loaders and checkpoint writers; the way to the hot tier
    README.md  MANIFEST.json            what there is, from which plan and template

Templates live in ``tierplan/templates/<module of the backend>/``; a template that renders to nothing is no file.
"""

from tierplan.render.files import write
from tierplan.render.manifest import MANIFEST, Artifact, artifacts
from tierplan.render.rendering import render

__all__ = ["MANIFEST", "Artifact", "artifacts", "render", "write"]

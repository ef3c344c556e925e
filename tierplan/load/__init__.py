"""
The doors from disk: stack files, hosts files and the catalogue.

    read_stack             name, path or - for standard input  ->  Stack
    stack_from_document    a plain document of the stack form  ->  Stack
    stack_text             Stack  ->  the text of a stack file
    starter                a commented stack file to begin with
    stack_names            the stacks of the project
    stack_path             name or path  ->  its file
    read_hosts             the hosts file of a stack
    read_prices            the prices that hold for a stack
    catalogue              facts about products, nodes, models, profiles
    stack_schema           the JSON Schema of the stack form
"""

from tierplan.load.defaults import default_fact
from tierplan.load.facts import FileCatalogue, Row, Table, catalogue
from tierplan.load.places import calibrated, read_hosts, read_stack, stack_folder, stack_names, stack_path
from tierplan.load.prices import prices_of, published_prices, read_prices
from tierplan.load.read import stack_from_document, stack_from_text
from tierplan.load.schema import stack_schema
from tierplan.load.starter import starter
from tierplan.load.variants import Variants
from tierplan.load.vary import Form, canonical, read_form
from tierplan.load.write import stack_text

__all__ = [
    "FileCatalogue",
    "Form",
    "Row",
    "Table",
    "Variants",
    "calibrated",
    "canonical",
    "catalogue",
    "default_fact",
    "prices_of",
    "published_prices",
    "read_form",
    "read_hosts",
    "read_prices",
    "read_stack",
    "stack_folder",
    "stack_from_document",
    "stack_from_text",
    "stack_names",
    "stack_path",
    "stack_schema",
    "stack_text",
    "starter",
]

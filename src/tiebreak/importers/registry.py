"""The formats that `tiebreak import` knows; each is a file beside this one."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.importer import Importer
from tiebreak.importers.tables import TABLES_IMPORTER

IMPORTERS: Final[tuple[Importer, ...]] = (TABLES_IMPORTER,)
"""In the order of the help."""

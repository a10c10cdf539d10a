"""Tells whether an answer is faithful to the contexts it was generated from: claim by claim, with evidence.

`check` judges one answer, `evaluate` a data set; `acheck` and `aevaluate` are the same for async code.
"""

from faithmeter._version import __version__
from faithmeter.client import Client
from faithmeter.datamodels import (
    Aside,
    Claim,
    Context,
    CorpusPassage,
    Evidence,
    Extraction,
    Failure,
    Label,
    Origin,
    Outcome,
    Pair,
    Sample,
    Turn,
    Usage,
    Verdict,
)
from faithmeter.errors import DataError, FaithmeterError, MissingExtra, OutputError, RowError, UsageError
from faithmeter.evaluator import Evaluator, acheck, check
from faithmeter.extract import Extractor, load_extractor
from faithmeter.fix import Fixed, afix, fix
from faithmeter.results import Report, Result
from faithmeter.revision import Edit, Revision
from faithmeter.runs import aevaluate, evaluate
from faithmeter.scoring import Scoring
from faithmeter.verify import Verifier, load_verifier

__all__ = [
    "Aside",
    "Claim",
    "Client",
    "Context",
    "CorpusPassage",
    "DataError",
    "Edit",
    "Evaluator",
    "Evidence",
    "Extraction",
    "Extractor",
    "Failure",
    "FaithmeterError",
    "Fixed",
    "Label",
    "MissingExtra",
    "Origin",
    "Outcome",
    "OutputError",
    "Pair",
    "Report",
    "Result",
    "Revision",
    "RowError",
    "Sample",
    "Scoring",
    "Turn",
    "Usage",
    "UsageError",
    "Verdict",
    "Verifier",
    "__version__",
    "acheck",
    "aevaluate",
    "afix",
    "check",
    "evaluate",
    "fix",
    "load_extractor",
    "load_verifier",
]

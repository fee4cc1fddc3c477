"""What a result rests on, as BibTeX: the sources of its rule, its corrections and its models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tiebreak.results.annotators import AnnotatorsResult
from tiebreak.results.estimates import EstimateResult
from tiebreak.results.ranks import RankResult
from tiebreak.results.records import CompareResult
from tiebreak.version import __version__

_HERE: Final = "tiebreak"

ENTRIES: Final[dict[str, str]] = {
    _HERE: f"""@software{{tiebreak,
  title = {{tiebreak: which text-generation system is better, from few human labels}},
  author = {{{{The tiebreak developers}}}},
  version = {{{__version__}}}
}}""",
    "benjamini1995": """@article{benjamini1995,
  author = {Benjamini, Yoav and Hochberg, Yosef},
  title = {Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple Testing},
  journal = {Journal of the Royal Statistical Society: Series B},
  volume = {57}, number = {1}, pages = {289--300}, year = {1995}
}""",
    "benjamini2001": """@article{benjamini2001,
  author = {Benjamini, Yoav and Yekutieli, Daniel},
  title = {The Control of the False Discovery Rate in Multiple Testing under Dependency},
  journal = {The Annals of Statistics}, volume = {29}, number = {4}, pages = {1165--1188}, year = {2001}
}""",
    "cameron2011": """@article{cameron2011,
  author = {Cameron, A. Colin and Gelbach, Jonah B. and Miller, Douglas L.},
  title = {Robust Inference With Multiway Clustering},
  journal = {Journal of Business and Economic Statistics}, volume = {29}, number = {2},
  pages = {238--249}, year = {2011}
}""",
    "canay2017": """@article{canay2017,
  author = {Canay, Ivan A. and Romano, Joseph P. and Shaikh, Azeem M.},
  title = {Randomization Tests under an Approximate Symmetry Assumption},
  journal = {Econometrica}, volume = {85}, number = {3}, pages = {1013--1030}, year = {2017}
}""",
    "chaganty2018": """@inproceedings{chaganty2018,
  author = {Chaganty, Arun Tejasvi and Mussmann, Stephen and Liang, Percy},
  title = {The Price of Debiasing Automatic Metrics in Natural Language Evaluation},
  booktitle = {Proceedings of ACL}, year = {2018}
}""",
    "davidson1970": """@article{davidson1970,
  author = {Davidson, Roger R.},
  title = {On Extending the {Bradley-Terry} Model to Accommodate Ties in Paired Comparison Experiments},
  journal = {Journal of the American Statistical Association},
  volume = {65}, number = {329}, pages = {317--328}, year = {1970}
}""",
    "deriu2023": """@inproceedings{deriu2023,
  author = {Deriu, Jan and von D{\\"a}niken, Pius and Tuggener, Don and Cieliebak, Mark},
  title = {Correction of Errors in Preference Ratings from Automated Metrics for Text Generation},
  booktitle = {Findings of ACL}, year = {2023}
}""",
    "fleiss1971": """@article{fleiss1971,
  author = {Fleiss, Joseph L.},
  title = {Measuring Nominal Scale Agreement among Many Raters},
  journal = {Psychological Bulletin}, volume = {76}, number = {5}, pages = {378--382}, year = {1971}
}""",
    "glickman2012": """@misc{glickman2012,
  author = {Glickman, Mark E.}, title = {Example of the {Glicko-2} System}, year = {2012}
}""",
    "hovy2013": """@inproceedings{hovy2013,
  author = {Hovy, Dirk and Berg-Kirkpatrick, Taylor and Vaswani, Ashish and Hovy, Eduard},
  title = {Learning Whom to Trust with {MACE}},
  booktitle = {Proceedings of NAACL-HLT}, pages = {1120--1130}, year = {2013}
}""",
    "krippendorff2004": """@book{krippendorff2004,
  author = {Krippendorff, Klaus},
  title = {Content Analysis: An Introduction to Its Methodology}, edition = {2nd},
  publisher = {Sage}, year = {2004}
}""",
    "holm1979": """@article{holm1979,
  author = {Holm, Sture},
  title = {A Simple Sequentially Rejective Multiple Test Procedure},
  journal = {Scandinavian Journal of Statistics}, volume = {6}, number = {2}, pages = {65--70}, year = {1979}
}""",
    "piepho2004": """@article{piepho2004,
  author = {Piepho, Hans-Peter},
  title = {An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons},
  journal = {Journal of Computational and Graphical Statistics},
  volume = {13}, number = {2}, pages = {456--466}, year = {2004}
}""",
    "suissa1991": """@article{suissa1991,
  author = {Suissa, Samy and Shuster, Jonathan J.},
  title = {The 2 x 2 Matched-Pairs Trial: Exact Unconditional Design and Analysis},
  journal = {Biometrics}, volume = {47}, number = {2}, pages = {361--372}, year = {1991}
}""",
    "tango1998": """@article{tango1998,
  author = {Tango, Toshiro},
  title = {Equivalence Test and Confidence Interval for the Difference in Proportions for the Paired-Sample Design},
  journal = {Statistics in Medicine}, volume = {17}, number = {8}, pages = {891--908}, year = {1998}
}""",
    "thorleiksdottir2022": """@inproceedings{thorleiksdottir2022,
  author = {Thorleiksd{\\'o}ttir, Th{\\'o}rhildur and Renggli, Cedric and Hollenstein, Nora and Zhang, Ce},
  title = {Dynamic Human Evaluation for Relative Model Comparisons},
  booktitle = {Proceedings of LREC}, year = {2022}
}""",
    "waudbysmith2024": """@article{waudbysmith2024,
  author = {Waudby-Smith, Ian and Ramdas, Aaditya},
  title = {Estimating Means of Bounded Random Variables by Betting},
  journal = {Journal of the Royal Statistical Society: Series B},
  volume = {86}, number = {1}, pages = {1--27}, year = {2024}
}""",
}
"""By key, as in `\\citep`."""

_CORRECTIONS: Final = {"holm": "holm1979", "fdr": "benjamini1995", "fdr-any": "benjamini2001"}


def sources_of(result: object) -> tuple[str, ...]:
    """The keys of what a result rests on, `tiebreak` first; that alone of a result of another kind."""
    return tuple(dict.fromkeys((_HERE, *_sources(result))))


def _sources(result: object) -> Iterator[str]:
    if isinstance(result, CompareResult):
        terms = result.terms
        yield from terms.sources
        if terms.correction is not None and terms.family > 1 and (terms.multiplicity != "holm" or terms.margin is None):
            yield from (_CORRECTIONS[name] for name in (terms.multiplicity,) if name in _CORRECTIONS)
        if terms.human and any(pair.metric and pair.metric.entered for of in result.results for pair in of.pairs):
            yield "chaganty2018"
    elif isinstance(result, EstimateResult):
        if any(one.help is not None for found in result.results for one in found.systems):
            yield "chaganty2018"
    elif isinstance(result, RankResult):
        yield "davidson1970"
        if any(found.glicko2 is not None for found in result.results):
            yield "glickman2012"
    elif isinstance(result, AnnotatorsResult):
        if any(panel.fleiss is not None for panel in result.panels):
            yield "fleiss1971"
        yield "krippendorff2004"
        if any(of.competence is not None for of in result.people):
            yield "hovy2013"

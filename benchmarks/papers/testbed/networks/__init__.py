"""Three sequence-to-sequence networks as small as the task (learning-to-compare, 4.1, has the large ones)."""

from __future__ import annotations

from benchmarks.papers.testbed.networks.convolutional import Convolutional
from benchmarks.papers.testbed.networks.network import Network
from benchmarks.papers.testbed.networks.recurrent import Recurrent
from benchmarks.papers.testbed.networks.transformer import Transformer

NETWORKS: dict[str, type[Network]] = {
    "recurrent": Recurrent,
    "convolutional": Convolutional,
    "transformer": Transformer,
}

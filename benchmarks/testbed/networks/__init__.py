"""Three sequence-to-sequence networks as small as the task (learning-to-compare, 4.1, has the large ones)."""

from __future__ import annotations

from benchmarks.testbed.networks.convolutional import Convolutional
from benchmarks.testbed.networks.network import Network
from benchmarks.testbed.networks.recurrent import Recurrent
from benchmarks.testbed.networks.transformer import Transformer

NETWORKS: dict[str, type[Network]] = {
    "recurrent": Recurrent,
    "convolutional": Convolutional,
    "transformer": Transformer,
}

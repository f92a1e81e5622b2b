"""Partitions of graphs into blocks, the block graph they give, and its quotient."""

from sbgd.partition.block_graph import BlockGraph, assemble_blocks
from sbgd.partition.cache import cached_partition
from sbgd.partition.description import build_partitioner, describe_partitioner
from sbgd.partition.diagnostics import PartitionSummary
from sbgd.partition.louvain import LouvainPartitioner
from sbgd.partition.metis import MetisPartitioner
from sbgd.partition.partition import Partition, Partitioner
from sbgd.partition.quotient import Quotient

__all__ = [
    "BlockGraph",
    "LouvainPartitioner",
    "MetisPartitioner",
    "Partition",
    "PartitionSummary",
    "Partitioner",
    "Quotient",
    "assemble_blocks",
    "build_partitioner",
    "cached_partition",
    "describe_partitioner",
]

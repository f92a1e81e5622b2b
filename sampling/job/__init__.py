"""Sampling as a job: in units that survive their process, by one process or many, into sharded Parquet."""

from sbgd.sampling.job.job import EDGES_PER_SHARD, SampleJob, run_alone
from sbgd.sampling.job.output import open_output
from sbgd.sampling.job.stage import UnitSizes
from sbgd.sampling.job.work_folder import WorkFolder

__all__ = ["EDGES_PER_SHARD", "SampleJob", "UnitSizes", "WorkFolder", "open_output", "run_alone"]

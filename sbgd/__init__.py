"""Scalable graph diffusion: graphs are generated block by block, so memory follows the block and not the graph."""

__version__ = "0.1.0"

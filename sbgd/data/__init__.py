"""Data: sources of graphs, block tables, dense batches and the stream that training reads."""

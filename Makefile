# Two targets do everything: `make quickstart` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := runs/quickstart

.PHONY: help quickstart test test-slow lint clean

help:
	@echo "make quickstart  install, train on Cora, sample 1x and 4x, evaluate (about 5 minutes on 2 cores)"
	@echo "make test        install what tests need and run them (test-slow: the slow ones)"
	@echo "make lint        ruff and mypy"

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.installed-dev: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@ $(VENV)/.installed

quickstart: $(VENV)/.installed
	$(BIN)/sbgd fit --config configs/experiment/quickstart.yaml --run_dir $(RUN) --overwrite true
	$(BIN)/sbgd sample --checkpoint $(RUN) --num-nodes x1 --out $(RUN)/samples_1x --overwrite
	$(BIN)/sbgd sample --checkpoint $(RUN) --num-nodes x4 --out $(RUN)/samples_4x --overwrite
	$(BIN)/sbgd evaluate $(RUN)/samples_4x --reference cora --baselines none --train cora --json $(RUN)/metrics_4x.json
	$(BIN)/sbgd evaluate $(RUN)/samples_1x --reference cora --train cora --json $(RUN)/metrics.json

test: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -p sbgd
	$(BIN)/python -m pytest -n 2

test-slow: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m slow

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -p sbgd

clean:
	rm -rf build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache

"""`sbgd fit`, `sbgd validate`, `sbgd test`: Lightning's command line on a YAML of class paths."""

from __future__ import annotations

import json
import logging
import re
import shutil
import sys
import warnings
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from jsonargparse import ArgumentError
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import EMAWeightAveraging, ModelCheckpoint
from pytorch_lightning.cli import LightningArgumentParser, LightningCLI
from pytorch_lightning.loggers import CSVLogger, Logger, WandbLogger

from sbgd.commands.outputs import check_folder
from sbgd.data.collection_data import CollectionDataModule
from sbgd.errors import InputError
from sbgd.models.callbacks import EpochProgressBar, ExportModel, SaveRunConfig
from sbgd.models.model_folder import DESCRIPTION, WEIGHTS
from sbgd.models.module import DiffusionModule

HELP = """Trains a model, SBGD or SGGM. Example: sbgd fit --config configs/experiment/cora.yaml --run_dir runs/mine.
On your own graph: sbgd fit --config configs/experiment/cora.yaml --data.init_args.train my.csv --run_dir runs/mine."""


def run(arguments: Sequence[str]) -> int:
    """Runs Lightning's command line; wrong usage and wrong input become an `InputError`."""
    _quieten()
    try:
        TrainingCLI(
            DiffusionModule,
            CollectionDataModule,
            args=_quoted(arguments),
            save_config_callback=SaveRunConfig,
            subclass_mode_model=True,
            subclass_mode_data=True,
            auto_configure_optimizers=False,
            parser_kwargs={"exit_on_error": False, "description": HELP},
        )
    except SystemExit as error:
        if not isinstance(error.__context__, KeyboardInterrupt):
            raise
        raise KeyboardInterrupt from error  # Lightning shuts down in order, then exits with 1
    except (FileNotFoundError, PermissionError, NotADirectoryError, IsADirectoryError, UnicodeDecodeError) as error:
        raise InputError(f"expected readable input and a writable --run_dir, got {error}") from error
    except MisconfigurationException as error:
        raise InputError(f"expected a trainer that Lightning accepts, got: {error}") from error
    except RuntimeError as error:
        if not str(error).startswith("Error(s) in loading state_dict"):
            raise
        raise InputError(f"expected a --ckpt_path of the same model, got another: {error}") from error
    except ArgumentError as error:
        raise InputError(f"{_reason(str(error))}; see `sbgd {arguments[0]} --help`") from error
    except ValueError as error:
        # jsonargparse wraps what a constructor raises in a report of all the types it tried
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, InputError):
            cause = cause.__cause__ or cause.__context__
        if cause is None:
            raise
        raise cause from error
    return 0


def _quoted(arguments: Sequence[str]) -> list[str]:
    """Quotes a data file named like `a: b.csv`, which the parser would read as a YAML mapping."""
    return [
        json.dumps(value, ensure_ascii=False) if flag.endswith((".train", ".val")) and ": " in value else value
        for flag, value in zip(["", *arguments], arguments, strict=False)
    ]


def _reason(message: str) -> str:
    """Returns the line of a parser's report that names the fault, or all of it on one line."""
    unknown = re.search(r"given class_path '([^']+)':\s*Option '([^']+)' is not accepted", message)
    if unknown:
        return f"expected known keys of {unknown[1]}, got {unknown[2]!r}"
    wrong = re.search(r'Parser key "([a-z_.]+)": Expected an? (.+?)\. Got value: (\S*)', " ".join(message.split()))
    if wrong:
        kind = re.sub(r"<class '(.+?)'>|typing\.", r"\1", wrong[2])
        return f"expected {kind} for {wrong[1]}, got {wrong[3]}"
    return " ".join(message.split())


def _quieten() -> None:
    """Hides what Lightning says of itself and a user can do nothing about."""
    for message in (
        "LightningCLI's args parameter",
        "You're using the WeightAveraging callback",
        ".*LeafSpec.*is deprecated",
        "The '.*dataloader' does not have many workers",
        "Trainer already configured with model summary",
        "Checkpoint directory .* exists and is not empty",
    ):
        warnings.filterwarnings("ignore", message=message)
    hidden = ("Tip:", "TPU", "GPU available", "Seed set to", "Detected KeyboardInterrupt")
    for name in ("pytorch_lightning.utilities.rank_zero", "lightning_fabric.utilities.seed"):
        logging.getLogger(name).addFilter(lambda record: not any(text in record.getMessage() for text in hidden))


class TrainingCLI(LightningCLI):
    """LightningCLI with a run folder: resolved config, CSV metrics, checkpoints and the exported model go there."""

    def add_arguments_to_parser(self, parser: LightningArgumentParser) -> None:
        """Adds the run folder and the defaults of a training run."""
        parser.add_argument("--run_dir", type=str, default="runs/default", help="folder of the run, made if need be")
        parser.add_argument("--overwrite", type=bool, default=False, help="whether a finished run may be replaced")
        parser.add_argument(
            "--wandb",
            type=str,
            default="off",
            choices=["off", "offline", "online"],
            help="Weights & Biases, beside CSV",
        )
        parser.add_argument("--ema_decay", type=float, default=0.995, help="decay of the averaged weights")
        parser.set_defaults(
            {
                "trainer.max_steps": 2000,
                "trainer.gradient_clip_val": 1.0,
                "trainer.log_every_n_steps": 20,
                "trainer.enable_model_summary": False,
                "trainer.num_sanity_val_steps": 0,
            }
        )

    def _parse_ckpt_path(self) -> None:
        """Leaves configuration alone: Lightning would let hyper-parameters of the checkpoint override the YAML."""

    def before_instantiate_classes(self) -> None:
        """Refuses a run folder that holds another run."""
        options = self.config[self.subcommand]
        folder = Path(options.run_dir)
        resumes = options.get("ckpt_path") is not None
        files = options.data.init_args
        for name in ("train", "val"):
            if (files.get(name) or "").startswith('"'):  # quoted by `_quoted`; the parser keeps the quotes
                files[name] = json.loads(files[name])
        if not options.run_dir:
            raise InputError("expected a folder for --run_dir, got an empty name")
        check_folder(folder)
        if resumes and not zipfile.is_zipfile(options.ckpt_path):
            raise InputError(f"expected a whole training checkpoint, got none at {options.ckpt_path}")
        if not 0 <= options.ema_decay <= 1:
            raise InputError(f"expected ema_decay in 0 .. 1, got {options.ema_decay}")
        if self.subcommand == "fit" and (folder / "config.yaml").exists() and not (resumes or options.overwrite):
            last = folder / "checkpoints" / "last.ckpt"
            resume = f"continue it with --ckpt_path {last}, " if last.exists() else ""
            raise InputError(
                f"expected a new run folder, got {folder}, which holds a run; choose another --run_dir, {resume}"
                "or replace it with --overwrite true"
            )
        if options.trainer.val_check_interval == 0:
            raise InputError("expected trainer.val_check_interval above 0, got 0")
        if options.trainer.max_epochs == 0:
            raise InputError("expected trainer.max_epochs of at least 1, got 0")
        steps = options.trainer.max_steps
        if steps is not None and steps != -1 and steps < 1:
            raise InputError(f"expected trainer.max_steps of at least 1, got {steps}")

    def instantiate_trainer(self, **kwargs: Any) -> pl.Trainer:
        """Adds the loggers and callbacks that every run has."""
        options = self.config[self.subcommand]
        folder = Path(options.run_dir)
        kwargs["default_root_dir"] = str(folder)
        # A folder of metrics for each start: the CSV logger would delete those of an interrupted run.
        kwargs["logger"] = [CSVLogger(folder, name="metrics"), *_tracker(options.wandb, folder)]
        configured = self._get(self.config_init, "trainer")
        kwargs["logger"] += _listed(configured.logger)
        callbacks = [
            *_listed(configured.callbacks),
            EMAWeightAveraging(decay=options.ema_decay),
            ModelCheckpoint(folder / "checkpoints", filename="{step}", save_last=True, every_n_epochs=1),
            ExportModel(),
        ]
        if sys.stderr.isatty():
            callbacks.append(EpochProgressBar())
        else:
            kwargs["enable_progress_bar"] = False
        try:
            return super().instantiate_trainer(callbacks=callbacks, **kwargs)
        except ValueError as error:
            raise InputError(f"expected a trainer that Lightning accepts, got: {error}") from error

    def before_fit(self) -> None:
        """Reads the data before anything is written, so that wrong input leaves no run folder behind."""
        self.datamodule.setup("fit")
        options = self.config[self.subcommand]
        if self.subcommand == "fit" and options.overwrite and options.get("ckpt_path") is None:
            _clear(Path(options.run_dir))

    before_validate = before_test = before_fit

    def after_fit(self) -> None:
        """Ends the W&B run, so that a next one in the same process does not join it."""
        for logger in self.trainer.loggers:
            if isinstance(logger, WandbLogger):
                logger.experiment.finish()

    def _set_seed(self) -> None:
        try:
            super()._set_seed()
        except ValueError as error:
            raise InputError(
                f"expected seed_everything in 0 .. 2^32 - 1, got {self._get(self.config, 'seed_everything')}"
            ) from error


def _clear(folder: Path) -> None:
    """Removes what an older run left in its folder; files of the user's own stay."""
    for name in ("checkpoints", "metrics"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in (DESCRIPTION, WEIGHTS, "config.yaml", "losses.json"):
        (folder / name).unlink(missing_ok=True)


def _listed(configured: Any) -> list[Any]:
    """Returns what the configuration names as a list: it may be one object, several, a switch, or nothing."""
    if configured is None or isinstance(configured, bool):
        return []
    return list(configured) if isinstance(configured, list | tuple) else [configured]


def _tracker(mode: str, folder: Path) -> list[Logger]:
    """Returns the W&B logger, or nothing; a server that cannot be reached never costs a run."""
    if mode == "off":
        return []
    folder.mkdir(parents=True, exist_ok=True)
    logger = WandbLogger(project="sbgd", name=folder.name, save_dir=folder, offline=mode == "offline")
    try:
        _ = logger.experiment
    except Exception as error:
        print(f"sbgd: warning: no Weights & Biases ({' '.join(str(error).split())}); CSV goes on", file=sys.stderr)
        return []
    return [logger]

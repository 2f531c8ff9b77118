"""`typeover study`: list the studies, run what is missing of one, draw its report."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from typeover.cli.lazy import Failed, LazyGroup
from typeover.cli.output import emit, json_option, print_claims, progress, verdict
from typeover.cli.ranges import SEED

if TYPE_CHECKING:
    from typeover.studies.findings import Findings, Table
    from typeover.studies.records import Record
    from typeover.studies.study import Study

out_option = click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder of its files.  [default: studies/NAME]"
)


@click.group(cls=LazyGroup)
def study() -> None:
    """Repeat the experiments, and see what they say."""


@study.command("list")
@json_option
def list_studies(*, as_json: bool) -> None:
    """Name the studies and what each asks."""
    from typeover.studies import STUDIES, readme

    questions = {name: readme(name).splitlines()[0].removeprefix("# ") for name in STUDIES}
    if as_json:
        emit({"format": "typeover.studies", "version": 1, "studies": questions})
        return
    width = max(map(len, questions))
    for name, question in questions.items():
        click.echo(f"{name:{width}}  {question}")


@study.command()
@click.argument("name")
@json_option
@out_option
@click.option("--quick", is_flag=True, help="Fewer seeds and shorter axes, kept in a file of their own.")
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the data sets, for studies that read some.")
@click.option("--workers", type=click.IntRange(1), help="Tasks at once.  [default: one per core]")
@click.option("--seeds", type=click.IntRange(1, 100_000), help="How many seeds.  [default: the study's own]")
@click.option("--seed", default=0, show_default=True, type=SEED, help="The first seed; the next ones follow.")
@click.option("--only", multiple=True, metavar="AXIS=VALUE", help="Run a part of an axis; may be given several times.")
def run(
    *, name: str, as_json: bool, out: Path | None, quick: bool, data: Path | None, workers: int | None,
    seeds: int | None, seed: int, only: tuple[str, ...],
) -> None:  # fmt: skip
    """Run what is missing of a study and judge its claims; exits 1 if one does not hold.

    Results are kept as they come, so that a run which was stopped goes on where it was: give the same command again.
    """
    from typeover.jobs import cores, single_threaded

    with single_threaded():  # before numpy is imported, so that one worker adds up as several do
        from typeover.cli.progress import shown
        from typeover.studies import find
        from typeover.studies.runner import run_study, wanted

        found = find(name)
        want = wanted(found, quick=quick, n_seeds=seeds, first_seed=seed, only=only, has_data=data is not None)
        path = _file(out, name, quick=quick)
        try:
            with shown() as tell:
                outcome = run_study(found, path, want, workers=workers or cores(), data=data, tell=tell)
        except KeyboardInterrupt:
            raise Failed(f"stopped; what is done stands in {path}, and the same command goes on from there") from None
    progress(f"{outcome.n_ran} of {len(want.tasks)} tasks were run now; all are in {path}")
    if outcome.n_others:
        progress(f"{outcome.n_others} other results in it are kept and left out: they are of no task of this run")
    document: dict[str, Any] = {"format": "typeover.study-run", "version": 1, "study": name, "quick": quick}
    document |= {"seeds": list(want.seeds), "tasks": len(want.tasks), "ran": outcome.n_ran, "file": str(path)}
    if data is None and found.extras and not quick:
        progress(f"left out without --data: what rests on {', '.join(found.extras)}")
    if only:
        if as_json:
            emit(document | {"claims": []})
        progress("a part of the points says nothing about the claims; run it without --only to judge them")
        return
    findings = found.analyse(outcome.records)
    if as_json:
        emit(document | {"words": findings.words, "tables": findings.tables, "claims": findings.claims})
    else:
        _print(findings)
        click.echo(f"To draw it: typeover study report {_again(name, quick=quick, out=out)}")
    raise SystemExit(verdict(findings.claims))


@study.command("report")
@click.argument("name")
@out_option
@click.option("--quick", is_flag=True, help="Of the quick run.")
def report_study(*, name: str, out: Path | None, quick: bool) -> None:
    """Draw a page of what was run: question, claims, pictures, tables.

    It rests on the seeds of which every task is done.
    """
    from typeover.studies import find, report
    from typeover.studies.records import facts
    from typeover.studies.runner import complete

    found = find(name)
    path = _file(out, name, quick=quick)
    records, unfinished = complete(found, path, quick=quick)
    if unfinished:
        progress(f"left out, since not all of their tasks are done: seeds {', '.join(map(str, unfinished))}")
    again = _again(name, quick=quick, out=out)
    seeds = _seeds(found, records, quick=quick)
    drawn = report.write(
        title=f"Study {name}", question=found.question, findings=found.analyse(records), folder=path.parent,
        command=f"typeover study run {again}{seeds}\ntypeover study report {again}", facts=facts(records),
    )  # fmt: skip
    click.echo(drawn)


def _again(name: str, *, quick: bool, out: Path | None) -> str:
    """How to name the same results once more."""
    return " ".join([name, *(["--quick"] if quick else []), *(["--out", shlex.quote(str(out))] if out else [])])


def _seeds(study: Study, records: Sequence[Record], *, quick: bool) -> str:
    """The options that name these seeds, if they are not the study's own."""
    seeds = sorted({record.seed for record in records})
    own = list(range(study.quick_seeds if quick else study.seeds))
    has_data = bool(study.data) or any(study.reads(record.point) for record in records)
    data = " --data DIR" if has_data else ""
    return data if seeds == own else f"{data} --seeds {seeds[-1] - seeds[0] + 1} --seed {seeds[0]}"


def _file(out: Path | None, name: str, *, quick: bool) -> Path:
    folder = Path("studies", name) if out is None else out
    return folder / ("quick.jsonl" if quick else "results.jsonl")


def _print(findings: Findings) -> None:
    """What came out, for people."""
    for table in findings.tables:
        click.echo("\n".join(_lines(table)) + "\n")
    click.echo("\n".join(findings.words) + "\n")
    print_claims(findings.claims)


def _lines(table: Table) -> list[str]:
    """A table in columns, numbers to the right."""
    cells = [table.columns, *(tuple(map(_cell, row)) for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rows = [
        "  ".join(
            f"{cell:{'<' if i == 0 else '>'}{width}}" for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]
    return [f"{table.title}. {table.note}".strip(), *(row.rstrip() for row in rows)]


def _cell(value: str | float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else str(value)

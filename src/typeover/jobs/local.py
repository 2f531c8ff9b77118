"""Tasks on the cores of this machine: one process per worker, each with a pipe of its own.

The pipe tells which task a worker has, so that one that is killed names the task that went with it, which a shared
queue would hide. It is also the lifeline: a worker whose pipe closes ends at once, so that none outlives its run,
however the run ended.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import queue
import signal
import threading
import traceback
from collections.abc import Generator, Iterator, Sequence
from multiprocessing import connection
from typing import Any, Self

from typeover.errors import InvalidInputError, TaskFailedError
from typeover.jobs.task import Done, Task, perform, single_threaded

PATIENCE = 5.0
"""Seconds that a worker gets to end."""


def cores() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run(tasks: Sequence[Task], *, workers: int) -> Generator[Done, None, None]:
    """Start the tasks in their order and yield each result as it comes; the first failure ends the run.

    Close it (`contextlib.closing`) if you may stop before its end, so that its workers end then and not later.
    With one worker they run in this process, where a debugger sees them, else in that many processes of their own,
    which are used again for the next task. What a task gives does not depend on which, if numeric libraries were
    imported under `single_threaded()` here: with several threads they add up in another order.
    """
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise InvalidInputError(f"workers is {workers!r}; it must be a whole number from 1: how many tasks run at once")
    return _here(tasks) if workers == 1 else _apart(tasks, min(workers, len(tasks)))


def _here(tasks: Sequence[Task]) -> Generator[Done, None, None]:
    for index, task in enumerate(tasks):
        try:
            done = perform(index, task)
        except (Exception, SystemExit) as error:
            raise _raised(task, traceback.format_exc()) from error
        yield done


def _apart(tasks: Sequence[Task], n_workers: int) -> Generator[Done, None, None]:
    waiting = iter(enumerate(tasks))
    with contextlib.ExitStack() as running:
        workers = [running.enter_context(_Worker()) for _ in range(n_workers)]
        busy = {worker.pipe: worker for worker in workers if worker.takes(waiting)}
        while busy:
            for pipe in connection.wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index] # wait gives back what it was given
                done = worker.answer()
                if not worker.takes(waiting):  # before the result is handed on, so that no worker waits for that
                    del busy[worker.pipe]
                yield done


class _Worker:
    """A process and the task that it has; leaving the context ends it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")  # clean: nothing of this process but what it is sent
        self.pipe, there = context.Pipe()
        self.task: Task | None = None
        self._process = context.Process(target=serve, args=(there,), daemon=True)
        with single_threaded(), _deaf_to_ctrl_c():
            self._process.start()
        there.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.pipe.close()
        self._process.terminate()
        self._process.join(PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()

    def takes(self, waiting: Iterator[tuple[int, Task]]) -> bool:
        """Give it the next task, if there is one."""
        index, self.task = next(waiting, (-1, None))
        if self.task is not None:
            sent = pickle.dumps((index, self.task))
            with contextlib.suppress(OSError):  # it is dead already, which its answer will say
                self.pipe.send_bytes(sent)
        return self.task is not None

    def answer(self) -> Done:
        """The result of its task."""
        assert self.task is not None  # noqa: S101 - only those who have a task are waited for
        try:
            answer: Done | str = pickle.loads(self.pipe.recv_bytes())  # noqa: S301 - from our own process
        except (EOFError, OSError):
            raise _lost(self.task, self._end()) from None
        if isinstance(answer, str):
            raise _raised(self.task, answer)
        return answer

    def _end(self) -> str:
        self._process.join(PATIENCE)
        code = self._process.exitcode or 0
        if code < 0:
            return f"was killed by {signal.Signals(-code).name}"
        return f"ended with exit code {code}"


def serve(pipe: connection.Connection) -> None:
    """What a worker does until its pipe closes: tasks come in, results or tracebacks go out."""
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, tasks), daemon=True).start()
    while True:
        pipe.send_bytes(_done(tasks.get()))


def _done(sent: bytes) -> bytes:
    try:
        index, task = pickle.loads(sent)  # noqa: S301 - from the process that started this one
        return pickle.dumps(perform(index, task))
    except BaseException:  # noqa: BLE001 - whatever it is, it is told, and ends the run
        return pickle.dumps(traceback.format_exc())


def _listen(pipe: connection.Connection, tasks: queue.SimpleQueue[bytes]) -> None:
    """Listens while a task runs, so that the end of the run ends the worker in the middle of it."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            tasks.put(pipe.recv_bytes())
    os._exit(0)


@contextlib.contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Processes started in here never hear Ctrl-C: this process does, and ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # it would undo the mask if it were started by the first process
    before: Any = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _raised(task: Task, trace: str) -> TaskFailedError:
    return TaskFailedError(f"task {task.name} failed; what its worker saw:\n{trace.rstrip()}")


def _lost(task: Task, end: str) -> TaskFailedError:
    hint = "; a system out of memory does that: try fewer workers" if "SIGKILL" in end else ""
    return TaskFailedError(f"task {task.name} is lost: the process that ran it {end}{hint}")

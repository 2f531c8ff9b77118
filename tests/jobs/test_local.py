"""Many tasks: the same results whoever runs them, loud failures, nobody left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tasks as do
from typeover.errors import InvalidInputError, TaskFailedError
from typeover.jobs import Task, cores, run, single_threaded

ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def calls(function, arguments):
    return [Task(f"{function.__name__} {given}", function, (given,)) for given in arguments]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_result_comes_with_the_place_of_its_task(workers, capfd):
    results = list(run(calls(do.double, range(7)), workers=workers))
    assert {done.index: done.value for done in results} == {i: 2 * i for i in range(7)}
    assert all(done.seconds >= 0 and (done.peak_bytes is None or done.peak_bytes > 10**6) for done in results)
    out, err = capfd.readouterr()
    assert (out, err.count("doubling")) == ("", 7), "what tasks print goes to stderr"


def test_results_do_not_depend_on_how_many_workers_there_are():
    code = (
        "from typeover.jobs import Task, run, single_threaded\n"
        "with single_threaded():\n"
        "    import tasks\n"
        "many = [Task(str(seed), tasks.noisy, (seed,)) for seed in range(4)]\n"
        "here, apart = ({done.index: done.value for done in run(many, workers=w)} for w in (1, 2))\n"
        "assert here == apart, (here, apart)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=ENVIRONMENT)


def test_one_worker_is_this_process_and_several_are_clean_ones_that_are_used_again():
    many = [Task("who", do.whoami)] * 6
    assert {done.value["pid"] for done in run(many, workers=1)} == {os.getpid()}
    found = [done.value for done in run(many, workers=2)]
    assert len({worker["pid"] for worker in found} | {os.getpid()}) in {2, 3}, "two processes for six tasks"
    assert all(worker["threads"] == "1" and not worker["numba"] for worker in found)


def test_a_task_may_take_its_time_without_holding_up_the_others(tmp_path):
    slow = Task("slow", do.busy, (str(tmp_path), 1.0))
    order = [done.index for done in run([slow, *calls(do.double, range(3))], workers=2)]
    assert order == [1, 2, 3, 0]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_task_that_raises_ends_the_run_with_its_name_and_its_own_traceback(workers):
    mixed = [*calls(do.double, range(2)), *calls(do.fail, ["milk"]), *calls(do.double, range(50))]
    with pytest.raises(TaskFailedError, match=r"task fail milk failed") as failure:
        list(run(mixed, workers=workers))
    assert "ZeroDivisionError: no milk today" in str(failure.value)
    assert 'tasks.py", line' in str(failure.value)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_task_that_ends_the_program_ends_the_run_with_its_name(workers):
    with pytest.raises(TaskFailedError, match=r"task leave 0 failed(.|\n)*SystemExit: 0"):
        list(run(calls(do.leave, [0]), workers=workers))


@pytest.mark.parametrize(
    ("code", "how"),
    [(-signal.SIGKILL, "killed by SIGKILL; .*memory"), (-signal.SIGSEGV, "killed by SIGSEGV"), (3, "code 3")],
)
def test_a_worker_that_dies_ends_the_run_with_the_name_of_the_task_that_it_had(code, how):
    with pytest.raises(TaskFailedError, match=rf"task end {code} is lost: the process that ran it .*{how}"):
        list(run([*calls(do.double, range(3)), *calls(do.end, [code]), *calls(do.double, range(3))], workers=2))


def test_what_cannot_be_sent_back_fails_its_task():
    with pytest.raises(TaskFailedError, match="task lambda failed"):
        list(run([Task("lambda", do.unsendable)], workers=2))


def test_a_worker_does_not_hear_ctrl_c():
    assert len(list(run([Task("interrupted", do.interrupted)] * 2, workers=2))) == 2


def test_who_stops_early_leaves_no_worker_behind(tmp_path):
    results = run([*calls(do.double, range(2)), Task("busy", do.busy, (str(tmp_path),))], workers=2)
    assert next(results).value in {0, 2}
    assert len(multiprocessing.active_children()) == 2
    results.close()
    assert multiprocessing.active_children() == []


def test_nothing_to_do_is_done_at_once():
    assert list(run([], workers=4)) == []


def test_no_workers_at_all_are_refused():
    with pytest.raises(InvalidInputError, match="workers is 0; it must be a whole number from 1"):
        run([], workers=0)


def test_one_thread_is_asked_for_and_what_was_set_before_comes_back(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with single_threaded():
        assert (os.environ["OMP_NUM_THREADS"], os.environ["MKL_NUM_THREADS"]) == ("1", "1")
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "MKL_NUM_THREADS" not in os.environ
    assert cores() >= 1


RUN = (
    "import sys, tasks\nfrom typeover.jobs import Task, run\n"
    "list(run([Task('busy', tasks.busy, (sys.argv[1],))] * 2, workers=2))"
)


def alive(pid):
    """Zombies have ended; only nobody has collected them yet."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_its_run(tmp_path, end):
    child = subprocess.Popen(
        [sys.executable, "-c", RUN, str(tmp_path)], start_new_session=True, stderr=subprocess.PIPE, text=True,
        env=ENVIRONMENT,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while len(list(tmp_path.iterdir())) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    workers = [int(path.name) for path in tmp_path.iterdir()]
    assert all(map(alive, workers))
    (os.killpg if end == signal.SIGINT else os.kill)(child.pid, end)  # Ctrl-C reaches the whole group
    _, error = child.communicate(timeout=30)
    deadline = time.monotonic() + 10
    while any(map(alive, workers)):
        assert time.monotonic() < deadline, "an orphan"
        time.sleep(0.02)
    assert error.count("Traceback") == (1 if end == signal.SIGINT else 0), error


@pytest.mark.slow
@pytest.mark.skipif(cores() < 2, reason="one core gains nothing")
def test_two_workers_gain_what_two_bare_loops_gain():
    def seconds(call):
        began = time.perf_counter()
        call()
        return time.perf_counter() - began

    def side_by_side():
        children = [multiprocessing.get_context("spawn").Process(target=do.work_often, args=(5,)) for _ in range(2)]
        for child in children:
            child.start()
        for child in children:
            child.join()

    many, gains = [Task("work", do.work)] * 10, []
    for _ in range(3):  # others may be at work on this machine
        ours = seconds(lambda: list(run(many, workers=1))) / seconds(lambda: list(run(many, workers=2)))
        gains.append((ours, seconds(lambda: do.work_often(10)) / seconds(side_by_side)))
        if ours >= min(1.7, 0.9 * gains[-1][1]):
            return
    pytest.fail(f"gains of two workers and of two bare loops: {gains}")

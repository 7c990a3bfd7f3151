"""Collects a script's tests, runs them, and says how each went."""

import sys
import time

TESTS = []


def test(function):
    TESTS.append(function)
    return function


def run(versions):
    """Runs every test and ends the script; `versions` names what was tested with."""
    start = time.monotonic()
    failed = 0
    for function in TESTS:
        began = time.monotonic()
        try:
            function()
            mark = "ok  "
        except Exception as error:  # A test that fails must not hide the others.
            failed += 1
            mark = f"FAIL {type(error).__name__}: {error}\n    "
        print(f"{mark} {function.__name__.replace('_', ' ')} ({time.monotonic() - began:.1f} s)")
    print(f"{len(TESTS) - failed} passed, {failed} failed in {time.monotonic() - start:.1f} s "
          f"({versions})")
    sys.exit(1 if failed else 0)

"""Recordings that were brought along are left as they are."""
import filecmp
import pathlib
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
recordings = root / "Fixtures/conversations"
with tempfile.TemporaryDirectory() as folder:
    copy = pathlib.Path(folder) / "conversations"
    shutil.copytree(recordings, copy)
    subprocess.run([sys.executable, root / "Fixtures/migrations/acts.py", copy], check=True)
    files = [str(file.relative_to(copy)) for file in copy.rglob("*.json")]
    assert len(files) > 100, files
    same, different, missing = filecmp.cmpfiles(recordings, copy, files, shallow=False)
    assert not different and not missing, (different, missing)
print("1 passed, 0 failed")

"""Runs a command with `RAPPORT_TEST_POSTGRES` naming a PostgreSQL of its own.

    python3 Server/Tests/postgres/with_cluster.py make test ONLY=StoreContractTests
"""

import os
import subprocess
import sys
import tempfile

from cluster import Cluster


def main():
    with tempfile.TemporaryDirectory(prefix="rapport-postgres-") as folder:
        os.chmod(folder, 0o755)
        cluster = Cluster(folder)
        try:
            environment = dict(os.environ, RAPPORT_TEST_POSTGRES=cluster.url("postgres"))
            sys.exit(subprocess.run(sys.argv[1:], env=environment).returncode)
        finally:
            cluster.kill()


if __name__ == "__main__":
    main()

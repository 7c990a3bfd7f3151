"""A PostgreSQL cluster and an nginx of their own, in a temporary folder, on free ports."""

import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

# It must turn up in no log, no output and no error.
PASSWORD = "canary/p@ss word"
ESCAPED = "canary%2Fp%40ss%20word"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Cluster:
    """PostgreSQL refuses to run as root, so root runs it as the user that Debian's package makes."""

    def __init__(self, folder, certificate=None, fills_up=False):
        """`certificate`: the file names of a certificate and its key; then nobody connects without TLS.
        `fills_up`: on a file system of its own of 200 MB, which takes root."""
        self.folder, self.port = Path(folder) / "postgres", free_port()
        self.folder.mkdir()
        self.certificate, self.fills_up = certificate, fills_up
        if fills_up:
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=200m,mode=755", "tmpfs", str(self.folder)], check=True)
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/pg_ctl"))
        self.programs = Path(found[-1] if found else shutil.which("pg_ctl")).parent
        self.prefix = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.prefix = ["runuser", "-u", "postgres", "--"]
        secret = self.folder / "password"
        secret.write_text(PASSWORD + "\n")
        secret.chmod(0o644)
        self._run(
            "initdb", "-D", self.data, "-U", "rapport", "--pwfile", secret, "-A", "scram-sha-256", "--no-sync")
        if certificate:
            for source, name in zip(certificate, ("server.crt", "server.key")):
                self._own(self.data / name, Path(source).read_text())
            self._own(
                self.data / "pg_hba.conf",
                "local all all scram-sha-256\nhostssl all all 127.0.0.1/32 scram-sha-256\n")
        self.start()
        self.psql("postgres", "CREATE DATABASE rapport")

    def _own(self, file, text):
        """Writes a file that only the database's user can read."""
        file.write_text(text)
        file.chmod(0o600)
        if self.prefix:
            user = pwd.getpwnam("postgres")
            os.chown(file, user.pw_uid, user.pw_gid)

    @property
    def data(self):
        return self.folder / "data"

    @property
    def log(self):
        return self.folder / "log"

    def url(self, database="rapport", host="127.0.0.1"):
        return f"postgres://rapport:{ESCAPED}@{host}:{self.port}/{database}"

    def _run(self, program, *arguments, check=True):
        command = [*self.prefix, str(self.programs / program), *map(str, arguments)]
        return subprocess.run(
            command, cwd=self.folder, check=check, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def start(self):
        options = (
            f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c max_connections=200"
            " -c log_statement=none -c shared_buffers=32MB")
        if self.certificate:
            options += " -c ssl=on"
        if self.fills_up:
            # Its log isn't what should fill up, and the write-ahead log is given back soon.
            options += " -c max_wal_size=48MB -c min_wal_size=32MB -c wal_recycle=off"
        # The log isn't a pipe of ours, which would wait for the server to end.
        self._run("pg_ctl", "-D", self.data, "-l", self.log, "-w", "-t", "60", "-o", options, "start")

    def kill(self):
        """Ends every process of it at once, in the middle of whatever it does."""
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop", check=False)

    def remove(self):
        self.kill()
        if self.fills_up:
            subprocess.run(["umount", "--lazy", str(self.folder)], check=False)

    def psql(self, database, sql):
        environment = dict(os.environ, PGPASSWORD=PASSWORD)
        done = subprocess.run(
            [str(self.programs / "psql"), "-X", "-q", "-t", "-A", "-h", "127.0.0.1", "-p", str(self.port),
             "-U", "rapport", "-d", database, "-c", sql],
            env=environment, check=True, capture_output=True, text=True)
        return done.stdout.strip().splitlines()


class Proxy:
    """nginx in front of servers, which takes them in turn."""

    CONFIGURATION = """
        daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx-errors warn;
        events {{ worker_connections 1024; }}
        http {{
          access_log off;
          client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
          fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
          upstream rapport {{ {servers} }}
          server {{
            listen 127.0.0.1:{port};
            location / {{
              proxy_pass http://rapport;
              proxy_http_version 1.1;
              proxy_set_header Host $http_host;
              proxy_set_header Connection "";
              proxy_buffering off;
              proxy_read_timeout 1h;
              add_header X-Answered-By $upstream_addr always;
            }}
          }}
        }}
    """

    def __init__(self, folder, ports):
        self.folder, self.port = Path(folder) / "nginx", free_port()
        self.folder.mkdir()
        servers = " ".join(f"server 127.0.0.1:{port} max_fails=0;" for port in ports)
        file = self.folder / "nginx.conf"
        file.write_text(self.CONFIGURATION.format(folder=self.folder, port=self.port, servers=servers))
        user = ["-g", "user root;"] if os.geteuid() == 0 else []
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen(
            [program, "-p", str(self.folder), "-e", str(self.folder / "nginx-errors"), "-c", str(file), *user],
            stdin=subprocess.DEVNULL)
        wait_for_port(self.port)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def wait_for_port(port, limit=900):
    until = time.monotonic() + limit
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)

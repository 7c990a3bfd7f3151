"""The official Supabase client against the mock project, and `rapport` against the same project:
test_supabase.py RAPPORT SUPABASE-MOCK.

Both sides sign in to one mock, so what one stores, the other must find.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading

import supabase
from postgrest.exceptions import APIError
from supabase_auth.errors import AuthApiError, AuthRetryableError

from suite import run, test

EMAIL = "marta@example.com"
RAPPORT, SUPABASE_MOCK = map(os.path.abspath, sys.argv[1:])


class Project:
    """The mock project while the block runs."""

    def __init__(self, *arguments):
        self.arguments = arguments
        self.codes = {}
        self.mailed = threading.Condition()

    def __enter__(self):
        self.process = subprocess.Popen(
            [SUPABASE_MOCK, *self.arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            # Whoever runs this in the background may have turned Ctrl-C off for it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        lines = [self.process.stdout.readline().strip() for _ in range(2)]
        settings = dict(line.split("=", 1) for line in lines)
        self.url, self.key = settings["SUPABASE_URL"], settings["SUPABASE_ANON_KEY"]
        threading.Thread(target=self._read_mail, daemon=True).start()
        return self

    def _read_mail(self):
        for line in self.process.stderr:
            if match := re.match(r"Code for (\S+): (\d{6})", line):
                with self.mailed:
                    self.codes[match[1]] = match[2]
                    self.mailed.notify_all()

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait()
        assert code == 0, f"supabase-mock ended with {code}"

    def code(self, email=EMAIL):
        with self.mailed:
            self.mailed.wait_for(lambda: email in self.codes)
            return self.codes.pop(email)

    def client(self):
        return supabase.create_client(self.url, self.key)

    def signed_in(self, email=EMAIL):
        client = self.client()
        client.auth.sign_in_with_otp({"email": email})
        client.auth.verify_otp({"email": email, "token": self.code(email), "type": "email"})
        return client


def expect(exceptions, action):
    try:
        result = action()
    except exceptions as error:
        return error
    raise AssertionError(f"expected {exceptions}, got {result!r}")


@test
def the_client_signs_in_and_knows_its_user():
    with Project() as project:
        client = project.signed_in()
        session = client.auth.get_session()
        assert session.user.email == EMAIL and session.expires_in == 3600
        assert client.auth.get_user().user.id == session.user.id


@test
def a_wrong_code_is_an_api_error_with_its_code():
    with Project("--code", "123456") as project:
        client = project.client()
        client.auth.sign_in_with_otp({"email": EMAIL})
        error = expect(AuthApiError, lambda: client.auth.verify_otp(
            {"email": EMAIL, "token": "654321", "type": "email"}))
        assert (error.status, error.code) == (403, "otp_expired"), error.to_dict()
        client.auth.verify_otp({"email": EMAIL, "token": "123456", "type": "email"})


@test
def limits_and_refusals_have_their_codes():
    for fault, status, code in [
        ("email-limit:41", 429, "over_email_send_rate_limit"),
        ("email-invalid", 400, "email_address_invalid"),
        ("signups-off", 422, "otp_disabled"),
        ("rate-limit", 429, "over_request_rate_limit"),
    ]:
        with Project("--fault", fault) as project:
            error = expect(AuthApiError, lambda: project.client().auth.sign_in_with_otp(
                {"email": EMAIL}))
            assert (error.status, error.code) == (status, code), error.to_dict()
    with Project("--fault", "gateway") as project:
        expect(AuthRetryableError, lambda: project.client().auth.sign_in_with_otp({"email": EMAIL}))


@test
def a_second_code_too_soon_names_the_wait():
    with Project("--resend-after", "50") as project:
        client = project.client()
        client.auth.sign_in_with_otp({"email": EMAIL})
        error = expect(AuthApiError, lambda: client.auth.sign_in_with_otp({"email": EMAIL}))
        assert error.code == "over_email_send_rate_limit"
        assert re.search(r"after (4\d|50) seconds", error.message), error.message


@test
def the_session_is_refreshed_and_the_old_token_rotates():
    with Project() as project:
        client = project.signed_in()
        first = client.auth.get_session()
        second = client.auth.refresh_session().session
        assert second.refresh_token != first.refresh_token
        assert second.access_token != first.access_token
        third = client.auth.refresh_session().session
        # Two rotations later, the first token ends the whole family (but for ten seconds after use).
        assert third.refresh_token != second.refresh_token


@test
def signing_out_ends_the_session():
    with Project() as project:
        client = project.signed_in()
        session = client.auth.get_session()
        client.auth.sign_out()
        error = expect(AuthApiError, lambda: project.client().auth.refresh_session(
            session.refresh_token))
        assert error.code == "refresh_token_not_found"


@test
def rows_are_upserted_and_selected():
    with Project() as project:
        client = project.signed_in()
        goals = client.table("goals")

        def put(text, second):
            return goals.upsert(
                {"id": "main", "body": {"primary": text}, "updated_at": f"2026-01-05T08:00:{second}Z"},
                on_conflict="user_id,id").execute().data

        assert put("a marathon", "10")[0]["body"] == {"primary": "a marathon"}
        assert put("a marathon", "10")[0]["body"] == {"primary": "a marathon"}
        assert put("10 km", "20")[0]["body"] == {"primary": "10 km"}
        assert put("older", "15") == []
        found = goals.select("id, body").eq("id", "main").execute().data
        assert found == [{"id": "main", "body": {"primary": "10 km"}}], found
        both = goals.upsert(
            [{"id": "a", "body": {}}, {"id": "b", "body": {}}], on_conflict="user_id,id").execute()
        assert len(both.data) == 2
        ordered = goals.select("id").order("id", desc=True).limit(2).execute().data
        assert ordered == [{"id": "main"}, {"id": "b"}], ordered


@test
def people_see_their_own_rows_alone():
    with Project() as project:
        marta, jonas = project.signed_in(), project.signed_in("jonas@example.com")
        user = marta.auth.get_session().user.id
        marta.table("goals").upsert({"id": "main", "body": {}}, on_conflict="user_id,id").execute()
        assert jonas.table("goals").select("*").execute().data == []
        error = expect(APIError, lambda: jonas.table("goals").upsert(
            {"id": "main", "user_id": user, "body": {}}, on_conflict="user_id,id").execute())
        assert error.code == "42501" and "row-level security" in error.message
        error = expect(APIError, lambda: project.client().table("goals").upsert(
            {"id": "main", "user_id": user, "body": {}}, on_conflict="user_id,id").execute())
        assert error.code == "42501"


@test
def postgrests_errors_have_their_codes():
    for fault, code in [("expired-token", "PGRST303"), ("bad-row", "PGRST204")]:
        with Project("--fault", fault) as project:
            client = project.signed_in()
            error = expect(APIError, lambda: client.table("goals").select("*").execute())
            assert error.code == code, error
    with Project() as project:
        client = project.signed_in()
        error = expect(APIError, lambda: client.table("nowhere").select("*").execute())
        assert error.code == "PGRST205", error


@test
def what_rapport_syncs_the_client_finds():
    with Project() as project, tempfile.TemporaryDirectory() as home:
        environment = {
            "HOME": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
            "SUPABASE_URL": project.url, "SUPABASE_ANON_KEY": project.key,
        }

        def rapport(*arguments, **more):
            return subprocess.run(
                [RAPPORT, *arguments], env=environment, cwd=home, capture_output=True,
                text=True, **more)

        with subprocess.Popen(
            [RAPPORT, "account", "sign-in", EMAIL], env=environment, cwd=home,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True) as sign_in:
            code = project.code()
            _, errors = sign_in.communicate(code + "\n")
        assert sign_in.returncode == 0, errors
        assert rapport("account").stdout.startswith(f"email    {EMAIL}\n")

        talk_with_a_mock_coach(environment, home)
        result = rapport("sync", "--json")
        assert result.returncode == 0, result.stderr
        records = [json.loads(line) for line in result.stdout.splitlines()]
        assert records[-1]["sent"] > 0 and records[-1]["waiting"] == 0, records

        client = project.signed_in()
        rows = client.table("intakes").select("*").execute().data
        assert len(rows) == 1 and rows[0]["pack"] == "fitness", rows
        assert rows[0]["facets"], rows
        assert rapport("account", "sign-out").returncode == 0
        assert rapport("sync").returncode == 78


def talk_with_a_mock_coach(environment, home):
    with subprocess.Popen(
        [RAPPORT, "mock"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True) as mock:
        url = mock.stdout.readline().strip()
        said = "drop about 20 lbs by june so i can keep up with my kids. no time though\n"
        subprocess.run(
            [RAPPORT, "chat", "--new", "--base-url", url, "--model", "mock-coach", "--json"],
            env=environment, cwd=home, input=said, capture_output=True, text=True, check=False)
        mock.send_signal(signal.SIGINT)


run(f"supabase {supabase.__version__}")

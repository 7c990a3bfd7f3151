"""Signing in within a journey, and what the server sends to the account."""

import re
import socket
import ssl
import stat
import subprocess
import threading

import pytest
from conftest import CODE, expect_soon
from playwright.sync_api import expect
from test_journeys import picture
from test_page import serious
from walking import Road, Walk


def at_sign_in(coach, browser_context, journey="trainer"):
    Road(coach, journey).reach("signIn")
    one = Walk(browser_context().new_page(), coach.address)
    one.begin_journey(journey)
    return one


def test_signing_in_with_a_code(start_coach, browser_context):
    one = at_sign_in(start_coach(rehearsal=True, account=True), browser_context)
    page = one.page
    go = page.get_by_role("button", name="Continue", exact=True)
    expect(go).to_be_disabled()
    page.locator("#step input[type=email]").fill("kim@example.com")
    expect(go).to_be_disabled()
    for box in page.locator("#step input[type=checkbox]").all():
        box.check()
    expect(go).to_be_enabled()
    assert serious(page) == []
    picture(page, "sign-in")
    before = one.screen()
    go.click()
    asked = one.after(before)
    assert asked["step"] == "code" and "kim@example.com" in asked["body"][0]
    expect(page.locator(".code input")).to_have_count(6)
    expect(page.locator("[data-option=resend]")).to_be_disabled()
    expect(page.get_by_text("You can ask for a new code in")).to_be_visible()
    assert serious(page) == []
    picture(page, "code")
    # A wrong code, digit by digit: each box moves on by itself, and the last one sends.
    page.locator(".code input").first.press_sequentially("0")
    for digit in "00000":
        page.keyboard.type(digit)
    expect(page.locator("#step-problem")).to_be_visible()
    expect(page.locator(".code input").first).to_be_focused()
    before = one.screen()
    one.paste(CODE)
    assert one.after(before)["step"] == "voice"


@pytest.mark.parametrize("code", ["93525891", "1029384756"])
@pytest.mark.parametrize("is_typed", [False, True])
def test_a_code_may_be_longer_than_the_journey_expects(start_coach, browser_context, code, is_typed):
    coach = start_coach(rehearsal=True, account=True, project=["--code", code])
    one = at_sign_in(coach, browser_context)
    before = one.answer(one.screen())
    if is_typed:
        one.page.locator(".code input").first.focus()
        one.page.keyboard.type(code)
    else:
        one.paste(f"{code[:4]} {code[4:]}")
    assert one.after(before)["step"] == "voice"


def test_an_expired_code_says_so_and_offers_a_new_one(start_coach, browser_context):
    coach = start_coach(rehearsal=True, account=True, project=["--code-lifetime", "0"])
    one = at_sign_in(coach, browser_context)
    one.answer(one.screen())
    one.paste(CODE)
    problem = one.page.locator("#step-problem")
    expect(problem).to_contain_text("expired")
    assert one.screen()["step"] == "code"
    resend = one.page.locator("[data-option=resend]")
    expect(resend).to_be_visible()
    one.page.clock.install()
    one.page.reload()
    expect(resend).to_be_disabled()
    one.page.clock.fast_forward(31_000)
    expect(resend).to_be_enabled()


def test_a_different_email(start_coach, browser_context):
    one = at_sign_in(start_coach(rehearsal=True, account=True), browser_context)
    before = one.answer(one.screen())
    one.press(option="different")
    assert one.after(before)["step"] == "signIn"


def account(one):
    return one.page.evaluate("fetch('/account').then((one) => one.json())")


def test_what_a_journey_made_reaches_the_account_and_signing_out_forgets_it(start_coach, browser_context):
    coach = start_coach(account=True, mock=["--verbose"], project=["--verbose"])

    def heard(name):
        return [line for line in (coach.folder / name).read_text().splitlines() if "POST" in line]

    one = at_sign_in(coach, browser_context, "trainer-structured")
    page = one.page
    assert heard("project.log") == heard("mock.log") == [], "nothing is sent before the sign-in"
    one.answer(one.answer(one.screen()))
    Road(coach, "trainer-structured", begun=one.id).reach("success")
    assert heard("mock.log")
    expect_soon(lambda: account(one)["rows"]["sent"] == 4)
    assert {"intakes", "goals", "programs", "coaching_profiles"} <= set(re.findall(r"/rest/v1/(\w+)", "".join(heard("project.log"))))
    kept = coach.folder / "store.db.account"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    page.reload()
    one.settled()
    page.get_by_role("button", name="Menu").click()
    expect(page.get_by_text("Signed in as kim@example.com")).to_be_visible()
    assert serious(page) == []
    picture(page, "account")
    page.route("**/account", lambda route: route.abort())
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("alert").filter(has_text="you're still signed in")).to_be_visible()
    expect(page.get_by_text("Signed in as kim@example.com")).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator("#account")).to_be_hidden()
    assert account(one)["signed_in"] is False and not kept.exists()


def test_nothing_waits_for_a_project_that_is_away(start_coach, browser_context):
    coach = start_coach(account=True, project=["--fault", "server-error", "--only", "rows"])
    one = at_sign_in(coach, browser_context, "trainer-structured")
    one.answer(one.answer(one.screen()))
    road = Road(coach, "trainer-structured", begun=one.id)
    assert road.reach()["kind"] == "end"
    rows = account(one)["rows"]
    assert rows["sent"] == 0 and rows["waiting"] == 4
    coach.restart()
    assert account(one)["signed_in"] is True and account(one)["rows"]["waiting"] == 4
    one.page.reload()
    one.page.get_by_role("button", name="Menu").click()
    expect(one.page.get_by_text("4 things still wait to reach your account.")).to_be_visible()


def test_each_browser_has_its_own_account(start_coach, browser_context):
    coach = start_coach(rehearsal=True, account=True, arguments=["--device-tokens"])
    emails = ["anna@example.com", "ben@example.com"]
    walks = []
    for email in emails:
        one = Walk(browser_context().new_page(), coach.address)
        one.begin_journey("trainer")
        screen = one.reach("signIn")
        one.answer(one.answer(screen, {"signIn": email}))
        walks.append(one)
    assert [account(one)["email"] for one in walks] == emails
    walks[0].page.evaluate("fetch('/account', { method: 'DELETE' })")
    expect_soon(lambda: account(walks[0])["signed_in"] is False)
    assert account(walks[1])["email"] == emails[1]


def test_a_project_behind_its_own_authority(start_coach, browser_context, tmp_path):
    """Its certificate counts with `RAPPORT_CA_FILE`, and only with it."""
    authority = certificates(tmp_path)
    coach = start_coach(rehearsal=True, account=True, settings=lambda found: {
        "SUPABASE_URL": encrypted(tmp_path, found["SUPABASE_URL"]), "RAPPORT_CA_FILE": str(authority)})
    one = at_sign_in(coach, browser_context)
    one.answer(one.answer(one.screen()))
    assert account(one)["email"] == "kim@example.com"
    one.page.evaluate("fetch('/account', { method: 'DELETE' }).then((one) => one.json())")
    coach.server.kill()
    del coach.server.settings["RAPPORT_CA_FILE"]
    coach.server.start()
    road = Road(coach, "trainer")
    road.reach("signIn")
    refused = road.act(answer={"email": "lee@example.com", "consents": ["terms", "privacy"]})
    assert refused["step"] == "signIn" and refused["problem"]


def certificates(folder):
    """An authority, and a certificate for this machine that it signed."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=an authority", "-days", "2")
    openssl("req", *key, "-keyout", "own.key", "-out", "own.csr", "-subj", "/CN=127.0.0.1")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", "own.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-out", "own.pem", "-days", "2", "-extfile", "names")
    return folder / "ca.pem"


def encrypted(folder, inner):
    """An address that speaks TLS in front of another one's HTTP."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "own.pem", folder / "own.key")
    host, port = inner.removeprefix("http://").split(":")
    listener = socket.create_server(("127.0.0.1", 0))

    def carry(source, target):
        try:
            while chunk := source.recv(65_536):
                target.sendall(chunk)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            target.close()

    def serve(plain):
        try:
            outer = context.wrap_socket(plain, server_side=True)
        except OSError:
            return plain.close()  # A client that doesn't trust it leaves.
        behind = socket.create_connection((host, int(port)))
        threading.Thread(target=carry, args=(outer, behind), daemon=True).start()
        carry(behind, outer)

    def accept():
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return f"https://127.0.0.1:{listener.getsockname()[1]}"

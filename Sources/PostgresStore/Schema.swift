import SessionStore

/// The tables, each step of their history in one transaction.
enum Schema {
  /// Every step so far. A step that was released is never changed; add another one.
  static let steps = [tables, accounts, moves, purchases]
  static var version: Int { steps.count }

  enum State: Hashable, Sendable {
    case missing
    /// The schema's name is taken by something else.
    case foreign
    case version(Int)
  }

  static func state(_ link: PostgresLink) throws(PostgresFailure) -> State {
    let found = try link.query(
      """
      SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'rapport'),
        to_regclass('rapport.format') IS NOT NULL
      """)
    guard found.first?.isTrue(0) == true else { return .missing }
    guard found.first?.isTrue(1) == true else {
      let objects = try link.query(
        "SELECT 1 FROM pg_class WHERE relnamespace = 'rapport'::regnamespace LIMIT 1")
      return objects.isEmpty ? .missing : .foreign
    }
    let rows = try link.query("SELECT version FROM rapport.format")
    return .version(Int(rows.first?.integer(0) ?? 0))
  }

  /// Brings the tables up to date. Of several programs that start at once, one does it.
  static func migrate(_ link: PostgresLink) throws(PostgresFailure) {
    try link.script("SET statement_timeout = 0; SET lock_timeout = 0")
    try link.transaction { link throws(PostgresFailure) in
      try link.query("SELECT pg_advisory_xact_lock(hashtextextended('rapport/migration', 0))")
      let before: Int
      if case .version(let version) = try state(link) {
        before = version
      } else {
        before = 0
        try link.script(
          "CREATE SCHEMA IF NOT EXISTS rapport; CREATE TABLE format (version INTEGER NOT NULL); "
            + "INSERT INTO format VALUES (0)")
      }
      guard before < version else { return }
      for step in steps[before...] { try link.script(step) }
      try link.query("UPDATE format SET version = $1::bigint", [.integer(version)])
    }
    try link.script(
      "SET statement_timeout = \(PostgresLink.statementTime); SET lock_timeout = 5000")
  }

  private static let tables = """
    CREATE TABLE session (
      id TEXT PRIMARY KEY COLLATE "C",
      created_ms BIGINT NOT NULL,
      person TEXT NOT NULL COLLATE "C"
    );
    CREATE INDEX session_by_person ON session (person);
    CREATE TABLE event (
      session TEXT NOT NULL COLLATE "C" REFERENCES session(id),
      position BIGINT NOT NULL CHECK (position > 0),
      at_ms BIGINT NOT NULL,
      kind TEXT NOT NULL,
      json TEXT NOT NULL,
      version BIGINT NOT NULL CHECK (version > 0),
      -- Identifies one append, so that it can be found again if its answer was lost.
      attempt BIGINT NOT NULL,
      PRIMARY KEY (session, position)
    );
    CREATE TABLE forgetting (session TEXT PRIMARY KEY COLLATE "C");
    CREATE FUNCTION event_is_never_changed() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'DELETE' THEN
          IF EXISTS (SELECT FROM rapport.forgetting WHERE session = OLD.session) THEN
            RETURN OLD;
          END IF;
        END IF;
        RAISE EXCEPTION 'events are append-only';
      END
      $$;
    CREATE TRIGGER event_is_never_changed BEFORE UPDATE OR DELETE ON event
      FOR EACH ROW EXECUTE FUNCTION event_is_never_changed();
    CREATE TRIGGER event_is_never_emptied BEFORE TRUNCATE ON event
      FOR EACH STATEMENT EXECUTE FUNCTION event_is_never_changed();
    -- A discovery that was finished, kept without its words when they are forgotten.
    CREATE TABLE discovery (session TEXT PRIMARY KEY COLLATE "C", person TEXT NOT NULL COLLATE "C");
    CREATE INDEX discovery_by_person ON discovery (person);
    CREATE TABLE person (
      id TEXT PRIMARY KEY COLLATE "C", created_ms BIGINT NOT NULL,
      units TEXT, time_zone TEXT, language TEXT, terms TEXT, privacy TEXT, consented_ms BIGINT
    );
    CREATE TABLE entitlement (
      person TEXT PRIMARY KEY COLLATE "C", source TEXT NOT NULL, granted_ms BIGINT NOT NULL
    );
    CREATE TABLE health (
      person TEXT PRIMARY KEY COLLATE "C", json TEXT, file TEXT, changed_ms BIGINT,
      read_ms BIGINT NOT NULL
    );
    CREATE TABLE token_use (
      person TEXT COLLATE "C", day TEXT COLLATE "C", tokens BIGINT NOT NULL,
      PRIMARY KEY (person, day)
    );
    -- The server's own keys, such as the one that signs device tokens.
    CREATE TABLE server_key (name TEXT PRIMARY KEY COLLATE "C", value BYTEA NOT NULL);
    """

  private static let accounts = """
    CREATE TABLE outbox (
      person TEXT NOT NULL COLLATE "C", name TEXT NOT NULL COLLATE "C", id TEXT NOT NULL COLLATE "C",
      json TEXT NOT NULL, session TEXT COLLATE "C", account TEXT, changed_ms BIGINT NOT NULL,
      revision BIGINT NOT NULL DEFAULT 1, state TEXT NOT NULL DEFAULT 'waiting',
      attempts BIGINT NOT NULL DEFAULT 0, next_ms BIGINT NOT NULL, problem TEXT,
      PRIMARY KEY (person, name, id)
    );
    CREATE INDEX outbox_by_session ON outbox (session);
    CREATE INDEX outbox_that_waits ON outbox (next_ms) WHERE state = 'waiting';
    -- Holds tokens of the account, so only the servers' role may read it.
    CREATE TABLE sign_in (person TEXT PRIMARY KEY COLLATE "C", json TEXT NOT NULL);
    REVOKE ALL ON sign_in FROM PUBLIC;
    """

  private static let moves = """
    -- Who somebody was before, such as on a device that has no account.
    CREATE TABLE moved (id TEXT PRIMARY KEY COLLATE "C", person TEXT NOT NULL COLLATE "C");
    CREATE INDEX moved_by_person ON moved (person);
    """

  private static let purchases = """
    -- When a shop's last report about somebody was written.
    CREATE TABLE purchase (person TEXT PRIMARY KEY COLLATE "C", reported_ms BIGINT NOT NULL);
    """
}

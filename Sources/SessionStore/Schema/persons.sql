CREATE INDEX session_by_person ON session (person);
CREATE TABLE person (
  id TEXT PRIMARY KEY NOT NULL, created_ms INTEGER NOT NULL,
  units TEXT, time_zone TEXT, language TEXT,
  terms TEXT, privacy TEXT, consented_ms INTEGER
) WITHOUT ROWID;
CREATE TABLE entitlement (
  person TEXT PRIMARY KEY NOT NULL, source TEXT NOT NULL, granted_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE health (
  person TEXT PRIMARY KEY NOT NULL, json TEXT, file TEXT, changed_ms INTEGER,
  read_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE token_use (
  person TEXT NOT NULL, day TEXT NOT NULL, tokens INTEGER NOT NULL, PRIMARY KEY (person, day)
) WITHOUT ROWID;
-- The server's own keys, such as the one that signs device tokens.
CREATE TABLE server_key (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;

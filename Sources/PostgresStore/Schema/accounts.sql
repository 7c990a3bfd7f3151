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

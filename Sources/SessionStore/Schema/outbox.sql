-- Since format 4.
CREATE TABLE outbox (
  person TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL,
  session TEXT, account TEXT, changed_ms INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1, state TEXT NOT NULL DEFAULT 'waiting',
  attempts INTEGER NOT NULL DEFAULT 0, next_ms INTEGER NOT NULL, problem TEXT,
  PRIMARY KEY (person, name, id)
) WITHOUT ROWID;

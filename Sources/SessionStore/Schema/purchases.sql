-- Since format 7: when a shop's last report about somebody was written.
CREATE TABLE IF NOT EXISTS purchase (
  person TEXT PRIMARY KEY NOT NULL, reported_ms INTEGER NOT NULL
) WITHOUT ROWID;

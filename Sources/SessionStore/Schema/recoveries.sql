-- Since format 8: the digest of the code that opens everything somebody has in another browser, once.
CREATE TABLE IF NOT EXISTS recovery (
  person TEXT PRIMARY KEY NOT NULL, digest TEXT NOT NULL UNIQUE
) WITHOUT ROWID;

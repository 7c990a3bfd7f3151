-- Since format 6: who somebody was before, such as on a device that has no account.
CREATE TABLE IF NOT EXISTS moved (
  id TEXT PRIMARY KEY NOT NULL, person TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS moved_by_person ON moved (person);

-- Since format 5: who has signed in to their account. The person at this machine has a file of their own instead.
CREATE TABLE IF NOT EXISTS sign_in (
  person TEXT PRIMARY KEY NOT NULL, json TEXT NOT NULL
) WITHOUT ROWID;

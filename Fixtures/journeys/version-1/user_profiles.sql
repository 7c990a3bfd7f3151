-- Version 1 of the table: accounts only. Version 2 adds the columns that matador.json declares.
CREATE TABLE user_profiles (
  id TEXT PRIMARY KEY NOT NULL,
  email TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

INSERT INTO user_profiles (id, email, created_at, updated_at) VALUES
  ('3f6f0c0a-6a52-4c39-9d26-6b5a1f6f7a01', 'ada@example.com', '2026-01-06T09:00:00Z', '2026-01-06T09:00:00Z'),
  ('3f6f0c0a-6a52-4c39-9d26-6b5a1f6f7a02', NULL, '2026-01-07T18:30:00Z', '2026-02-01T07:15:00Z'),
  ('3f6f0c0a-6a52-4c39-9d26-6b5a1f6f7a03', 'o''brien@example.com', '2026-01-08T23:59:59Z', '2026-01-08T23:59:59Z');

PRAGMA user_version = 1;

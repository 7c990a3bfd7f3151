-- Version 1 of the table user_profiles, before any journey wrote to it.
CREATE TABLE user_profiles (
  id TEXT PRIMARY KEY NOT NULL,
  email TEXT,
  created_at TEXT NOT NULL DEFAULT '2026-01-01T00:00:00Z'
);
INSERT INTO user_profiles (id, email) VALUES ('local', 'kim@example.com');
INSERT INTO user_profiles (id, email) VALUES ('someone-else', 'lee@example.com');

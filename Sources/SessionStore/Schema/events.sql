CREATE TABLE session (
  id TEXT PRIMARY KEY NOT NULL,
  created_ms INTEGER NOT NULL,
  person TEXT NOT NULL DEFAULT 'local'
) WITHOUT ROWID;
CREATE TABLE event (
  session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position > 0),
  at_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,
  json TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0),
  PRIMARY KEY (session, position)
) WITHOUT ROWID;
CREATE TABLE forgetting (session TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
  BEGIN SELECT raise(ABORT, 'events are append-only'); END;
CREATE TRIGGER event_is_never_removed BEFORE DELETE ON event
  WHEN NOT EXISTS (SELECT 1 FROM forgetting WHERE session = OLD.session)
  BEGIN SELECT raise(ABORT, 'events are append-only'); END;
-- A discovery that was finished, kept without its words when they are forgotten.
CREATE TABLE discovery (session TEXT PRIMARY KEY NOT NULL, person TEXT NOT NULL DEFAULT 'local') WITHOUT ROWID;

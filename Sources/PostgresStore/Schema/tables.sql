CREATE TABLE session (
  id TEXT PRIMARY KEY COLLATE "C",
  created_ms BIGINT NOT NULL,
  person TEXT NOT NULL COLLATE "C"
);
CREATE INDEX session_by_person ON session (person);
CREATE TABLE event (
  session TEXT NOT NULL COLLATE "C" REFERENCES session(id),
  position BIGINT NOT NULL CHECK (position > 0),
  at_ms BIGINT NOT NULL,
  kind TEXT NOT NULL,
  json TEXT NOT NULL,
  version BIGINT NOT NULL CHECK (version > 0),
  -- Identifies one append, so that it can be found again if its answer was lost.
  attempt BIGINT NOT NULL,
  PRIMARY KEY (session, position)
);
CREATE TABLE forgetting (session TEXT PRIMARY KEY COLLATE "C");
CREATE FUNCTION event_is_never_changed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      IF EXISTS (SELECT FROM rapport.forgetting WHERE session = OLD.session) THEN
        RETURN OLD;
      END IF;
    END IF;
    RAISE EXCEPTION 'events are append-only';
  END
  $$;
CREATE TRIGGER event_is_never_changed BEFORE UPDATE OR DELETE ON event
  FOR EACH ROW EXECUTE FUNCTION event_is_never_changed();
CREATE TRIGGER event_is_never_emptied BEFORE TRUNCATE ON event
  FOR EACH STATEMENT EXECUTE FUNCTION event_is_never_changed();
-- A discovery that was finished, kept without its words when they are forgotten.
CREATE TABLE discovery (session TEXT PRIMARY KEY COLLATE "C", person TEXT NOT NULL COLLATE "C");
CREATE INDEX discovery_by_person ON discovery (person);
CREATE TABLE person (
  id TEXT PRIMARY KEY COLLATE "C", created_ms BIGINT NOT NULL,
  units TEXT, time_zone TEXT, language TEXT, terms TEXT, privacy TEXT, consented_ms BIGINT
);
CREATE TABLE entitlement (
  person TEXT PRIMARY KEY COLLATE "C", source TEXT NOT NULL, granted_ms BIGINT NOT NULL
);
CREATE TABLE health (
  person TEXT PRIMARY KEY COLLATE "C", json TEXT, file TEXT, changed_ms BIGINT,
  read_ms BIGINT NOT NULL
);
CREATE TABLE token_use (
  person TEXT COLLATE "C", day TEXT COLLATE "C", tokens BIGINT NOT NULL,
  PRIMARY KEY (person, day)
);
-- The server's own keys, such as the one that signs device tokens.
CREATE TABLE server_key (name TEXT PRIMARY KEY COLLATE "C", value BYTEA NOT NULL);

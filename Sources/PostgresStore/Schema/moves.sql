-- Who somebody was before, such as on a device that has no account.
CREATE TABLE moved (id TEXT PRIMARY KEY COLLATE "C", person TEXT NOT NULL COLLATE "C");
CREATE INDEX moved_by_person ON moved (person);

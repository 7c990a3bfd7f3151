-- The digest of the code that opens everything somebody has in another browser, once.
CREATE TABLE recovery (person TEXT PRIMARY KEY COLLATE "C", digest TEXT NOT NULL UNIQUE);

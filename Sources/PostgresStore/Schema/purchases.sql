-- When a shop's last report about somebody was written.
CREATE TABLE purchase (person TEXT PRIMARY KEY COLLATE "C", reported_ms BIGINT NOT NULL);

CREATE TABLE receipts (
    user_id       TEXT   NOT NULL REFERENCES users (id),
    surface       TEXT   NOT NULL,
    operation_key TEXT   NOT NULL,
    action        TEXT   NOT NULL,
    payload_hash  TEXT   NOT NULL,
    receipt       TEXT   NOT NULL,
    request_id    TEXT   NOT NULL,
    committed_at  BIGINT NOT NULL,
    PRIMARY KEY (user_id, surface, operation_key)
);
CREATE INDEX receipts_by_commit ON receipts (committed_at);

CREATE TABLE audit (
    id            TEXT   NOT NULL PRIMARY KEY,
    at            BIGINT NOT NULL,
    action        TEXT   NOT NULL,
    outcome       TEXT   NOT NULL,
    user_id       TEXT,
    connection_id TEXT,
    client_id     TEXT,
    via           TEXT   NOT NULL,
    target        TEXT,
    request_id    TEXT   NOT NULL,
    details       TEXT   NOT NULL
);

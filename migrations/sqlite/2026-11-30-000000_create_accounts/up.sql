CREATE TABLE users (
    id            TEXT   NOT NULL PRIMARY KEY,
    handle        TEXT   NOT NULL UNIQUE,
    display_name  TEXT   NOT NULL,
    email         TEXT   UNIQUE,
    password_hash TEXT,
    is_admin      BOOLEAN NOT NULL,
    suspended_at  BIGINT,
    created_at    BIGINT NOT NULL
);

CREATE TABLE user_grants (
    user_id    TEXT   NOT NULL REFERENCES users (id),
    capability TEXT   NOT NULL,
    granted_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, capability)
);

CREATE TABLE sessions (
    id           TEXT   NOT NULL PRIMARY KEY,
    token_hash   TEXT   NOT NULL UNIQUE,
    user_id      TEXT   NOT NULL REFERENCES users (id),
    created_at   BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    user_agent   TEXT   NOT NULL,
    address      TEXT   NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE one_time_links (
    token_hash TEXT   NOT NULL PRIMARY KEY,
    purpose    TEXT   NOT NULL,
    user_id    TEXT   REFERENCES users (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT
);

CREATE TABLE server_secrets (
    name       TEXT   NOT NULL PRIMARY KEY,
    value      BLOB   NOT NULL,
    created_at BIGINT NOT NULL
);

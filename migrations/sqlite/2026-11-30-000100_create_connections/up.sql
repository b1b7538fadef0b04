CREATE TABLE clients (
    id            TEXT   NOT NULL PRIMARY KEY,
    name          TEXT   NOT NULL,
    redirect_uris TEXT   NOT NULL,
    grant_types   TEXT   NOT NULL,
    metadata      TEXT   NOT NULL,
    created_at    BIGINT NOT NULL,
    last_used_at  BIGINT
);
CREATE INDEX clients_by_last_use ON clients (last_used_at, created_at);

CREATE TABLE connections (
    id           TEXT   NOT NULL PRIMARY KEY,
    user_id      TEXT   NOT NULL REFERENCES users (id),
    client_id    TEXT   NOT NULL,
    client_name  TEXT   NOT NULL,
    redirect_uri TEXT   NOT NULL,
    surface      TEXT   NOT NULL,
    scope        TEXT   NOT NULL,
    version      BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    activated_at BIGINT,
    last_used_at BIGINT,
    calls        BIGINT NOT NULL,
    revoked_at   BIGINT,
    revoked_why  TEXT
);
CREATE INDEX connections_by_user ON connections (user_id, id);
CREATE INDEX connections_by_client ON connections (client_id);

CREATE TABLE authorization_codes (
    hash          TEXT   NOT NULL PRIMARY KEY,
    connection_id TEXT   NOT NULL REFERENCES connections (id),
    client_id     TEXT   NOT NULL,
    redirect_uri  TEXT   NOT NULL,
    challenge     TEXT   NOT NULL,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL,
    consumed_at   BIGINT
);
CREATE INDEX authorization_codes_by_connection ON authorization_codes (connection_id);

CREATE TABLE refresh_tokens (
    hash          TEXT   NOT NULL PRIMARY KEY,
    connection_id TEXT   NOT NULL REFERENCES connections (id),
    parent_hash   TEXT,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT,
    consumed_at   BIGINT,
    siblings      BIGINT NOT NULL
);
CREATE INDEX refresh_tokens_by_connection ON refresh_tokens (connection_id);

CREATE TABLE access_tokens (
    hash          TEXT   NOT NULL PRIMARY KEY,
    connection_id TEXT   NOT NULL REFERENCES connections (id),
    scope         TEXT   NOT NULL,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL,
    revoked_at    BIGINT
);
CREATE INDEX access_tokens_by_connection ON access_tokens (connection_id);

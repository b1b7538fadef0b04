CREATE TABLE connection_addresses (
    connection_id TEXT   NOT NULL REFERENCES connections (id),
    address       TEXT   NOT NULL,
    last_used_at  BIGINT NOT NULL,
    PRIMARY KEY (connection_id, address)
);

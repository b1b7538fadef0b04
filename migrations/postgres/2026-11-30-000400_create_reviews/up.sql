CREATE TABLE review_processes (
    id            TEXT   NOT NULL PRIMARY KEY,
    protocol_id   TEXT   NOT NULL REFERENCES review_protocols (id),
    submission_id TEXT   NOT NULL UNIQUE REFERENCES submissions (id),
    problem_id    TEXT   NOT NULL REFERENCES problems (id),
    status        TEXT   NOT NULL,
    outcome       TEXT,
    version       BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    closed_at     BIGINT
);
CREATE INDEX review_processes_by_problem ON review_processes (problem_id);

CREATE TABLE review_nodes (
    process_id  TEXT   NOT NULL REFERENCES review_processes (id),
    node_id     TEXT   NOT NULL,
    position    BIGINT NOT NULL,
    status      TEXT   NOT NULL,
    hold_micros BIGINT NOT NULL,
    deadline    BIGINT,
    opened_at   BIGINT,
    closed_at   BIGINT,
    PRIMARY KEY (process_id, node_id)
);
CREATE INDEX review_nodes_by_status ON review_nodes (status, opened_at);

-- One source of truth for "held": holder and hold_until stand here and nowhere else. A lapsed hold keeps its holder
-- until the next claim clears it; a done seat has no holder.
CREATE TABLE seats (
    id         TEXT   NOT NULL PRIMARY KEY,
    process_id TEXT   NOT NULL,
    node_id    TEXT   NOT NULL,
    position   BIGINT NOT NULL,
    version    BIGINT NOT NULL,
    holder     TEXT   REFERENCES users (id),
    held_since BIGINT,
    hold_until BIGINT,
    fence      BIGINT NOT NULL,
    done_by    TEXT   REFERENCES users (id),
    done_at    BIGINT,
    FOREIGN KEY (process_id, node_id) REFERENCES review_nodes (process_id, node_id),
    UNIQUE (process_id, node_id, position)
);
CREATE UNIQUE INDEX seats_one_hold_per_person ON seats (process_id, holder);

CREATE TABLE assignments (
    id         TEXT   NOT NULL PRIMARY KEY,
    seat_id    TEXT   NOT NULL REFERENCES seats (id),
    process_id TEXT   NOT NULL,
    node_id    TEXT   NOT NULL,
    user_id    TEXT   NOT NULL REFERENCES users (id),
    status     TEXT   NOT NULL,
    claimed_at BIGINT NOT NULL,
    ended_at   BIGINT,
    reason     TEXT,
    UNIQUE (process_id, seat_id, user_id)
);

CREATE TABLE review_responses (
    seat_id    TEXT   NOT NULL PRIMARY KEY REFERENCES seats (id),
    process_id TEXT   NOT NULL REFERENCES review_processes (id),
    node_id    TEXT   NOT NULL,
    user_id    TEXT   NOT NULL REFERENCES users (id),
    fence      BIGINT NOT NULL,
    response   TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX review_responses_by_process ON review_responses (process_id, node_id);

CREATE TABLE blobs (
    content_hash TEXT   NOT NULL PRIMARY KEY,
    size_bytes   BIGINT NOT NULL,
    bytes        BYTEA  NOT NULL,
    created_at   BIGINT NOT NULL
);

CREATE TABLE campaigns (
    id         TEXT   NOT NULL PRIMARY KEY,
    slug       TEXT   NOT NULL UNIQUE,
    title      TEXT   NOT NULL,
    body_md    TEXT   NOT NULL,
    status     TEXT   NOT NULL,
    visibility TEXT   NOT NULL,
    owner_id   TEXT   NOT NULL REFERENCES users (id),
    created_at BIGINT NOT NULL
);

CREATE TABLE problems (
    id                  TEXT   NOT NULL PRIMARY KEY,
    slug                TEXT   NOT NULL UNIQUE,
    title               TEXT   NOT NULL,
    summary             TEXT   NOT NULL,
    structure           TEXT   NOT NULL,
    status              TEXT   NOT NULL,
    visibility          TEXT   NOT NULL,
    priority_weight     BIGINT NOT NULL,
    campaign_id         TEXT   REFERENCES campaigns (id),
    owner_id            TEXT   NOT NULL REFERENCES users (id),
    current_revision_id TEXT   NOT NULL,
    search_text         TEXT   NOT NULL,
    created_at          BIGINT NOT NULL
);
CREATE INDEX problems_by_priority ON problems (priority_weight DESC, id);
CREATE INDEX problems_by_campaign ON problems (campaign_id);

CREATE TABLE review_protocols (
    id           TEXT   NOT NULL PRIMARY KEY,
    slug         TEXT   NOT NULL,
    title        TEXT   NOT NULL,
    content_hash TEXT   NOT NULL UNIQUE,
    spec         TEXT   NOT NULL,
    created_at   BIGINT NOT NULL
);

CREATE TABLE problem_revisions (
    id              TEXT   NOT NULL PRIMARY KEY,
    problem_id      TEXT   NOT NULL REFERENCES problems (id),
    revision_number BIGINT NOT NULL,
    statement_md    TEXT   NOT NULL,
    result_schema   TEXT,
    protocol_id     TEXT   REFERENCES review_protocols (id),
    content_hash    TEXT   NOT NULL,
    created_at      BIGINT NOT NULL,
    UNIQUE (problem_id, revision_number)
);

CREATE TABLE reference_inputs (
    revision_id  TEXT   NOT NULL REFERENCES problem_revisions (id),
    key          TEXT   NOT NULL,
    filename     TEXT   NOT NULL,
    media_type   TEXT   NOT NULL,
    size_bytes   BIGINT NOT NULL,
    content_hash TEXT   NOT NULL REFERENCES blobs (content_hash),
    PRIMARY KEY (revision_id, key)
);

CREATE TABLE attempts (
    id            TEXT   NOT NULL PRIMARY KEY,
    problem_id    TEXT   NOT NULL REFERENCES problems (id),
    revision_id   TEXT   NOT NULL REFERENCES problem_revisions (id),
    user_id       TEXT   NOT NULL REFERENCES users (id),
    connection_id TEXT,
    agent         TEXT,
    status        TEXT   NOT NULL,
    outcome       TEXT,
    version       BIGINT NOT NULL,
    started_at    BIGINT NOT NULL,
    ended_at      BIGINT
);
CREATE INDEX attempts_by_problem ON attempts (problem_id, status, started_at);
CREATE INDEX attempts_by_revision ON attempts (revision_id);
CREATE INDEX attempts_by_user ON attempts (user_id, status, started_at);

CREATE TABLE notes (
    id         TEXT   NOT NULL PRIMARY KEY,
    attempt_id TEXT   NOT NULL REFERENCES attempts (id),
    kind       TEXT   NOT NULL,
    topic      TEXT,
    body_md    TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX notes_by_attempt ON notes (attempt_id, id);

CREATE TABLE artifacts (
    id           TEXT   NOT NULL PRIMARY KEY,
    attempt_id   TEXT   NOT NULL REFERENCES attempts (id),
    filename     TEXT   NOT NULL,
    media_type   TEXT   NOT NULL,
    size_bytes   BIGINT NOT NULL,
    content_hash TEXT   NOT NULL REFERENCES blobs (content_hash),
    created_at   BIGINT NOT NULL,
    withdrawn_at BIGINT
);
CREATE INDEX artifacts_by_attempt ON artifacts (attempt_id, id);

CREATE TABLE submissions (
    id          TEXT   NOT NULL PRIMARY KEY,
    attempt_id  TEXT   NOT NULL REFERENCES attempts (id),
    problem_id  TEXT   NOT NULL REFERENCES problems (id),
    revision_id TEXT   NOT NULL REFERENCES problem_revisions (id),
    user_id     TEXT   NOT NULL REFERENCES users (id),
    status      TEXT   NOT NULL,
    result      TEXT,
    note_md     TEXT,
    version     BIGINT NOT NULL,
    created_at  BIGINT NOT NULL
);
CREATE INDEX submissions_by_attempt ON submissions (attempt_id, id);
CREATE INDEX submissions_by_problem ON submissions (problem_id, id);

CREATE TABLE submission_artifacts (
    submission_id TEXT   NOT NULL REFERENCES submissions (id),
    position      BIGINT NOT NULL,
    artifact_id   TEXT   NOT NULL REFERENCES artifacts (id),
    PRIMARY KEY (submission_id, position)
);

//! The tables as Diesel sees them, kept by hand in step with `migrations/`; a test compares both with the live schemas.
//!
//! Column types that mean the same on both engines, no others: text, 64-bit integers (times are UTC µs), booleans, bytes.

#![expect(missing_docs, reason = "the columns are told in the migrations; the macro takes no docs")]

diesel::table! {
    users (id) {
        id -> Text,
        handle -> Text,
        display_name -> Text,
        email -> Nullable<Text>,
        password_hash -> Nullable<Text>,
        is_admin -> Bool,
        suspended_at -> Nullable<BigInt>,
        created_at -> BigInt,
    }
}
diesel::table! {
    user_grants (user_id, capability) {
        user_id -> Text,
        capability -> Text,
        granted_at -> BigInt,
    }
}
diesel::table! {
    sessions (id) {
        id -> Text,
        token_hash -> Text,
        user_id -> Text,
        created_at -> BigInt,
        last_seen_at -> BigInt,
        expires_at -> BigInt,
        user_agent -> Text,
        address -> Text,
    }
}
diesel::table! {
    one_time_links (token_hash) {
        token_hash -> Text,
        purpose -> Text,
        user_id -> Nullable<Text>,
        created_at -> BigInt,
        expires_at -> BigInt,
        used_at -> Nullable<BigInt>,
    }
}
diesel::table! {
    server_secrets (name) {
        name -> Text,
        value -> Binary,
        created_at -> BigInt,
    }
}
diesel::table! {
    clients (id) {
        id -> Text,
        name -> Text,
        redirect_uris -> Text,
        grant_types -> Text,
        metadata -> Text,
        created_at -> BigInt,
        last_used_at -> Nullable<BigInt>,
    }
}
diesel::table! {
    connections (id) {
        id -> Text,
        user_id -> Text,
        client_id -> Text,
        client_name -> Text,
        redirect_uri -> Text,
        surface -> Text,
        scope -> Text,
        version -> BigInt,
        created_at -> BigInt,
        activated_at -> Nullable<BigInt>,
        last_used_at -> Nullable<BigInt>,
        calls -> BigInt,
        revoked_at -> Nullable<BigInt>,
        revoked_why -> Nullable<Text>,
        tools -> Text,
    }
}
diesel::table! {
    connection_addresses (connection_id, address) {
        connection_id -> Text,
        address -> Text,
        last_used_at -> BigInt,
    }
}
diesel::table! {
    authorization_codes (hash) {
        hash -> Text,
        connection_id -> Text,
        client_id -> Text,
        redirect_uri -> Text,
        challenge -> Text,
        created_at -> BigInt,
        expires_at -> BigInt,
        consumed_at -> Nullable<BigInt>,
    }
}
diesel::table! {
    refresh_tokens (hash) {
        hash -> Text,
        connection_id -> Text,
        parent_hash -> Nullable<Text>,
        created_at -> BigInt,
        expires_at -> Nullable<BigInt>,
        consumed_at -> Nullable<BigInt>,
        siblings -> BigInt,
    }
}
diesel::table! {
    access_tokens (hash) {
        hash -> Text,
        connection_id -> Text,
        scope -> Text,
        created_at -> BigInt,
        expires_at -> BigInt,
        revoked_at -> Nullable<BigInt>,
    }
}
diesel::table! {
    receipts (user_id, surface, operation_key) {
        user_id -> Text,
        surface -> Text,
        operation_key -> Text,
        action -> Text,
        payload_hash -> Text,
        receipt -> Text,
        request_id -> Text,
        committed_at -> BigInt,
    }
}
diesel::table! {
    audit (id) {
        id -> Text,
        at -> BigInt,
        action -> Text,
        outcome -> Text,
        user_id -> Nullable<Text>,
        connection_id -> Nullable<Text>,
        client_id -> Nullable<Text>,
        via -> Text,
        target -> Nullable<Text>,
        request_id -> Text,
        details -> Text,
    }
}
diesel::table! {
    blobs (content_hash) {
        content_hash -> Text,
        size_bytes -> BigInt,
        bytes -> Binary,
        created_at -> BigInt,
    }
}
diesel::table! {
    campaigns (id) {
        id -> Text,
        slug -> Text,
        title -> Text,
        body_md -> Text,
        status -> Text,
        visibility -> Text,
        owner_id -> Text,
        created_at -> BigInt,
    }
}
diesel::table! {
    problems (id) {
        id -> Text,
        slug -> Text,
        title -> Text,
        summary -> Text,
        structure -> Text,
        status -> Text,
        visibility -> Text,
        priority_weight -> BigInt,
        campaign_id -> Nullable<Text>,
        owner_id -> Text,
        current_revision_id -> Text,
        search_text -> Text,
        created_at -> BigInt,
    }
}
diesel::table! {
    review_protocols (id) {
        id -> Text,
        slug -> Text,
        title -> Text,
        content_hash -> Text,
        spec -> Text,
        created_at -> BigInt,
    }
}
diesel::table! {
    problem_revisions (id) {
        id -> Text,
        problem_id -> Text,
        revision_number -> BigInt,
        statement_md -> Text,
        result_schema -> Nullable<Text>,
        protocol_id -> Nullable<Text>,
        content_hash -> Text,
        created_at -> BigInt,
    }
}
diesel::table! {
    reference_inputs (revision_id, key) {
        revision_id -> Text,
        key -> Text,
        filename -> Text,
        media_type -> Text,
        size_bytes -> BigInt,
        content_hash -> Text,
    }
}
diesel::table! {
    attempts (id) {
        id -> Text,
        problem_id -> Text,
        revision_id -> Text,
        user_id -> Text,
        connection_id -> Nullable<Text>,
        agent -> Nullable<Text>,
        status -> Text,
        outcome -> Nullable<Text>,
        version -> BigInt,
        started_at -> BigInt,
        ended_at -> Nullable<BigInt>,
    }
}
diesel::table! {
    notes (id) {
        id -> Text,
        attempt_id -> Text,
        kind -> Text,
        topic -> Nullable<Text>,
        body_md -> Text,
        created_at -> BigInt,
    }
}
diesel::table! {
    artifacts (id) {
        id -> Text,
        attempt_id -> Text,
        filename -> Text,
        media_type -> Text,
        size_bytes -> BigInt,
        content_hash -> Text,
        created_at -> BigInt,
        withdrawn_at -> Nullable<BigInt>,
    }
}
diesel::table! {
    submissions (id) {
        id -> Text,
        attempt_id -> Text,
        problem_id -> Text,
        revision_id -> Text,
        user_id -> Text,
        status -> Text,
        result -> Nullable<Text>,
        note_md -> Nullable<Text>,
        version -> BigInt,
        created_at -> BigInt,
    }
}
diesel::table! {
    submission_artifacts (submission_id, position) {
        submission_id -> Text,
        position -> BigInt,
        artifact_id -> Text,
    }
}
diesel::table! {
    review_processes (id) {
        id -> Text,
        protocol_id -> Text,
        submission_id -> Text,
        problem_id -> Text,
        status -> Text,
        outcome -> Nullable<Text>,
        version -> BigInt,
        created_at -> BigInt,
        closed_at -> Nullable<BigInt>,
    }
}
diesel::table! {
    review_nodes (process_id, node_id) {
        process_id -> Text,
        node_id -> Text,
        position -> BigInt,
        status -> Text,
        hold_micros -> BigInt,
        deadline -> Nullable<BigInt>,
        opened_at -> Nullable<BigInt>,
        closed_at -> Nullable<BigInt>,
    }
}
diesel::table! {
    seats (id) {
        id -> Text,
        process_id -> Text,
        node_id -> Text,
        position -> BigInt,
        version -> BigInt,
        holder -> Nullable<Text>,
        held_since -> Nullable<BigInt>,
        hold_until -> Nullable<BigInt>,
        fence -> BigInt,
        done_by -> Nullable<Text>,
        done_at -> Nullable<BigInt>,
    }
}
diesel::table! {
    assignments (id) {
        id -> Text,
        seat_id -> Text,
        process_id -> Text,
        node_id -> Text,
        user_id -> Text,
        status -> Text,
        claimed_at -> BigInt,
        ended_at -> Nullable<BigInt>,
        reason -> Nullable<Text>,
    }
}
diesel::table! {
    review_responses (seat_id) {
        seat_id -> Text,
        process_id -> Text,
        node_id -> Text,
        user_id -> Text,
        fence -> BigInt,
        response -> Text,
        created_at -> BigInt,
    }
}
diesel::allow_tables_to_appear_in_same_query!(
    users,
    user_grants,
    sessions,
    one_time_links,
    server_secrets,
    clients,
    connections,
    connection_addresses,
    authorization_codes,
    refresh_tokens,
    access_tokens,
    receipts,
    audit,
    blobs,
    campaigns,
    problems,
    review_protocols,
    problem_revisions,
    reference_inputs,
    attempts,
    notes,
    artifacts,
    submissions,
    submission_artifacts,
    review_processes,
    review_nodes,
    seats,
    assignments,
    review_responses,
);

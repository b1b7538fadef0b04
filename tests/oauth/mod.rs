//! The authorization server over real HTTP, on both engines, with a clock that the tests move. Numbers such as R7 are those
//! of public bug reports of other servers.

pub mod client;
mod codes;
mod consent;
mod day;
mod discovery;
mod documents;
pub mod person;
mod refreshing;
mod registration;
mod revoking;
mod tools;

use libtest_mimic::Trial;

use crate::support::{Layers, TestDb, bodies};

/// Where the tests' client listens, as far as the server knows.
const REDIRECT: &str = "http://127.0.0.1:9/callback";
/// A verifier and its challenge (RFC 7636 appendix B).
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// A test's body with its name.
type Named = (&'static str, fn(&TestDb));

/// The tests of this group.
pub fn tests(layers: &Layers) -> Vec<Trial> {
    let both: &[Named] = bodies![
        codes::ten_parallel_redemptions_end_in_no_working_token,
        codes::a_code_is_redeemed_once_and_a_replay_with_its_verifier_ends_the_connection,
        codes::a_wrong_verifier_client_or_redirect_burns_nothing,
        codes::a_code_dies_after_sixty_seconds,
        refreshing::eight_parallel_refreshes_all_succeed,
        refreshing::twenty_parallel_refreshes_give_twenty_pairs_of_one_connection,
        refreshing::a_replay_after_sixty_seconds_ends_the_whole_connection,
        refreshing::a_siblings_refresh_token_refreshes_itself,
        refreshing::a_replay_ends_one_connection_of_the_client_and_not_the_other,
        refreshing::another_client_burns_a_live_token_no_more_than_it_may_use_it,
        refreshing::a_consumed_token_from_another_client_ends_the_connection,
        refreshing::the_sixty_fifth_sibling_is_told_to_wait_and_nothing_dies,
        refreshing::an_unused_refresh_token_dies_after_a_year,
        refreshing::a_store_that_is_down_is_never_told_as_a_bad_client_or_grant,
        revoking::a_refresh_token_ends_its_connection_and_an_access_token_itself,
        revoking::after_a_revocation_nothing_a_racing_refresh_minted_works,
        revoking::another_clients_token_is_like_an_unknown_one,
        tools::the_chosen_tools_alone_are_listed_explained_and_run,
        tools::a_change_of_tools_holds_from_the_next_call_on_and_is_its_owners_alone,
        day::retried_within_thirty_seconds_no_connection_is_lost,
        day::retried_after_ninety_seconds_the_rule_ends_those_and_no_other,
        documents::a_document_stands_in_for_a_registration,
        documents::what_was_shown_is_what_is_approved_whatever_the_document_says_by_then,
        registration::a_client_in_use_is_kept_and_one_idle_for_a_year_and_more_is_dropped,
    ];
    let once: &[Named] = bodies![
        codes::both_must_fit_at_authorize_and_at_the_token_endpoint,
        consent::approved_in_one_browser_it_is_refused_in_another,
        consent::two_pages_of_one_request_are_both_good,
        consent::a_page_left_open_for_ten_minutes_is_over,
        consent::denied_the_client_hears_so_with_state_and_issuer,
        consent::what_is_unticked_is_not_granted_and_read_always_is,
        consent::a_capability_is_granted_to_its_holder_alone,
        documents::a_document_is_kept_for_an_hour_or_as_long_as_it_says_and_a_failure_never,
        documents::a_document_that_is_none_is_told_to_the_person_alone,
        tools::a_form_without_a_tool_or_with_another_choice_connects_nothing,
        consent::before_client_and_redirect_are_known_the_person_is_told_and_nobody_else,
        consent::afterwards_the_client_is_told,
        consent::who_is_not_signed_in_goes_there_and_comes_back,
        consent::the_page_cannot_be_framed_and_its_form_leads_to_the_client_alone,
        discovery::the_documents_are_at_every_path_and_the_same_bytes,
        discovery::an_unknown_document_is_json_and_not_found,
        discovery::every_endpoint_answers_a_preflight_of_any_origin,
        refreshing::a_narrowed_scope_is_of_that_token_alone,
        refreshing::a_client_without_the_grant_type_gets_no_refresh_token,
        refreshing::a_foreign_resource_is_an_invalid_target,
        registration::the_answer_is_what_the_client_sent,
        registration::an_unknown_client_hears_invalid_client_and_a_body_of_json_what_to_send,
        registration::minting_is_limited_by_address,
        refreshing::a_suspended_account_refreshes_nothing,
        refreshing::a_token_of_the_operators_making_opens_for_thirty_days_and_is_not_refreshed,
    ];
    let mut trials: Vec<Trial> = both.iter().flat_map(|(name, body)| layers.on_both("oauth", name, *body)).collect();
    trials.extend(once.iter().map(|(name, body)| layers.on_sqlite("oauth", name, *body)));
    trials
}

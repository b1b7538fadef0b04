//! The endpoint of agents over HTTP. Numbers such as M1 are those of public bug reports of other servers.

mod codes;
mod contract;
mod crossed;
mod eras;
mod extra_keys;
mod fuzz;
mod help;
mod hosts;
mod messages;
mod prompts;
mod sessions;
mod shapes;
mod streams;

use libtest_mimic::Trial;

use crate::support::server::Server;
use crate::support::wire::Wire;
use crate::support::{Layers, TestDb, bodies};

const GROUP: &str = "mcp";
const PROBLEM: &str = "altered-element-table";

type Bodies = &'static [(&'static str, fn(&TestDb))];

const SQLITE: Bodies = bodies![
    sessions::m1_an_unknown_session_id_is_ignored,
    sessions::m2_a_restart_between_two_calls_is_not_noticed,
    sessions::m4_the_rust_sdk_goes_on_over_a_restart,
    streams::m5_a_closed_connection_ends_its_own_request_alone,
    streams::m6_there_is_no_stream_to_reconnect_to,
    streams::m7_a_call_that_was_cut_off_is_not_done_again_by_itself,
    crossed::m9_two_hundred_calls_each_of_two_people_get_their_own_answers,
    crossed::m9_pipelined_calls_of_two_people_are_answered_in_turn,
    eras::m11_what_a_client_accepts_is_its_own_matter,
    eras::m12_a_handshake_needs_no_field_of_the_modern_era,
    eras::m15_a_version_error_explains_itself_in_its_message,
    messages::m16_a_batch_that_is_not_taken_is_refused_in_words,
    messages::m19_an_id_of_null_is_a_bad_request_and_no_notification,
    messages::a_flood_of_values_is_refused_with_its_field,
    messages::arguments_that_are_no_values_are_refused_by_name,
    messages::a_body_is_json_once_and_in_utf_8,
    contract::m20_no_id_is_a_number,
    contract::m21_an_unknown_argument_is_named_with_the_nearest,
    contract::m28_the_list_of_tools_fits_its_budget,
    extra_keys::m22_an_extra_key_is_refused_by_name_wherever_an_object_is_closed,
    extra_keys::m22_what_the_schema_takes_the_validator_takes,
    fuzz::whatever_comes_is_answered_in_form,
    help::the_contract_of_every_tool_holds_what_the_list_shows,
    prompts::prompts_start_the_loops_and_name_every_fault_of_their_arguments,
    prompts::a_client_that_accepts_a_stream_gets_json_unless_the_operator_lets_it,
    hosts::m26_a_foreign_host_or_origin_is_refused_and_a_default_port_is_none,
];

/// The trials of this group.
pub fn tests(layers: &Layers) -> Vec<Trial> {
    let sqlite = SQLITE.iter().map(|(name, body)| layers.on_sqlite(GROUP, name, *body));
    let both = layers.on_both(
        GROUP,
        "m9_two_hundred_writes_each_of_two_people_are_told_to_their_own",
        crossed::writes_of_two_people,
    );
    let everywhere: Bodies = bodies![
        help::a_lost_answer_is_found_by_its_key_and_by_its_writer_alone,
        prompts::completion_finds_what_the_caller_may_see_and_nothing_else,
    ];
    let everywhere = everywhere.iter().flat_map(|(name, body)| layers.on_both(GROUP, name, *body));
    sqlite.chain(both).chain(everywhere).chain(codes::tests(layers)).collect()
}

/// A server with the example in it, and ada's caller.
fn open(db: &TestDb) -> (Server, Wire) {
    let server = Server::start(db);
    server.import_example();
    server.user_without_password("ada");
    let ada = Wire::new(&server.mcp(), &server.token("ada", "read contribute"));
    (server, ada)
}

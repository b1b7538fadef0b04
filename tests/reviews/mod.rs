//! Reviews, through the tools and over the real rows of both engines: one SQLite database with one process, one
//! PostgreSQL database with two.

mod claims;
mod history;
mod house;
mod judgments;
mod lapses;
mod looks;

use libtest_mimic::Trial;

use crate::support::{Layers, TestDb, bodies};

type Bodies = &'static [(&'static str, fn(&TestDb))];

const BODIES: Bodies = bodies![
    claims::of_fifty_claimants_of_one_seat_one_wins,
    claims::a_hundred_claimants_of_five_seats_hold_five,
    claims::one_person_who_claims_ten_times_at_once_holds_one_seat,
    claims::one_person_at_two_seats_at_once_holds_one,
    claims::twin_claims_with_one_key_are_one_claim,
    claims::a_key_that_stood_for_another_claim_is_refused,
    claims::one_person_holds_one_seat_over_all_nodes,
    judgments::a_judgment_decides_and_is_final,
    judgments::twin_judgments_with_one_key_are_one_judgment,
    judgments::the_last_two_judgments_at_once_close_the_node,
    judgments::a_process_closes_with_its_last_node,
    judgments::a_refused_response_leaves_the_hold,
    judgments::only_who_held_a_seat_can_hand_in_or_decline,
    lapses::a_lapsed_hold_is_free_for_others_at_that_instant,
    lapses::a_late_judgment_counts_while_the_seat_is_free,
    lapses::a_late_judgment_after_anothers_claim_is_told_what_works,
    lapses::a_lapsed_hold_is_no_obstacle_to_its_own_holder,
    lapses::declining_is_final_and_frees_the_seat,
    lapses::a_release_frees_the_seat_and_is_not_final,
    lapses::a_deadline_cuts_holds_and_then_closes_the_node,
    looks::looking_at_a_case_changes_nothing,
    looks::a_case_shows_short_files_whole_and_long_ones_in_part,
    looks::nobody_reviews_their_own_work,
    looks::a_full_review_says_when_the_next_seat_frees,
    looks::a_process_names_nobody,
    history::every_transition_keeps_the_rows_in_order,
];

/// All of them.
pub fn tests(layers: &Layers) -> Vec<Trial> {
    BODIES.iter().flat_map(|(name, body)| layers.on_both("reviews", name, *body)).collect()
}

//! The whole server: its limits, a disk without room, its end, and the demo as a newcomer runs it.

mod audit;
mod demo;
mod disk;
mod limits;
mod stopping;
mod texts;

use libtest_mimic::Trial;

use crate::support::{Layer, Layers, TestDb};

const GROUP: &str = "server";

/// The trials of this group.
pub fn tests(layers: &Layers) -> Vec<Trial> {
    let mut trials = vec![
        layers.on_sqlite(GROUP, "the_call_past_the_limit_is_told_when_to_come_back", limits::past_the_limit),
        layers.trial(
            format!("{GROUP}::sqlite::a_full_disk_fails_writes_alone_and_the_server_serves_on_when_there_is_room"),
            &[Layer::Tmpfs],
            || disk::full(&TestDb::on_small_disk(disk::KIB)),
        ),
        layers.trial(format!("{GROUP}::sqlite::the_demo_goes_on_until_ctrl_c"), &[], demo::goes_on),
        layers.trial(format!("{GROUP}::sqlite::the_demo_finds_a_free_port_by_itself"), &[], demo::finds_a_port),
    ];
    trials.push(layers.on_sqlite(GROUP, "a_second_signal_cuts_off_what_does_not_end", stopping::twice));
    trials.push(layers.on_sqlite(GROUP, "the_log_has_a_level_of_its_own", texts::log_level));
    trials.extend(layers.on_both(
        GROUP,
        "operators_read_the_log_and_end_connections",
        audit::operators_read_the_log_and_end_connections,
    ));
    trials.extend(layers.on_both(GROUP, "a_text_with_u_0000_is_no_fault_of_the_server", texts::nul));
    trials.extend(layers.on_both(
        GROUP,
        "sigterm_under_load_leaves_no_effect_unanswered_and_loses_no_rotation",
        stopping::under_load,
    ));
    trials
}

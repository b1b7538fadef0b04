//! A day of ten agents that refresh every five minutes, over a network that loses answers and sends requests twice.

use diesel::prelude::*;
use futures_util::future::join;
use reqwest::StatusCode;
use serde_json::Value;
use tfp::store::tables::audit;
use tfp_actors::Entropy as _;
use tfp_actors::clock::Micros;
use tfp_actors::testkit::SeededEntropy;

use super::client::{House, Pair, pair};
use crate::support::{TestDb, block_on};

const AGENTS: usize = 10;
/// Every five minutes, for a day.
const ROUNDS: usize = 288;
const FIVE_MINUTES: i64 = 300;
/// Fixed, so that a failure can be played again.
const SEED: u64 = 0x6461_7973;

/// What the network does to a refresh.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Luck {
    /// Nothing.
    Fine,
    /// The answer is lost, and the agent asks again later.
    Lost,
    /// The request arrives twice at once; the agent hears one of the answers.
    Doubled,
    /// The request arrives twice, the second time later; the agent hears the first answer.
    Late,
}

struct Dice(SeededEntropy);

impl Dice {
    fn below(&self, sides: u8) -> u8 {
        let mut byte = [0];
        self.0.fill(&mut byte);
        byte[0] % sides
    }

    fn luck(&self) -> Luck {
        match self.below(24) {
            0 => Luck::Lost,
            1 => Luck::Doubled,
            2 => Luck::Late,
            _ => Luck::Fine,
        }
    }
}

/// What one agent has.
struct Agent {
    pair: Pair,
    /// Whether the rule has ended its connection.
    over: bool,
}

/// Lives through the day; retries come `wait` seconds late, give or take.
async fn day(house: &House, wait: impl Fn(&Dice) -> i64) -> Vec<Agent> {
    let dice = Dice(SeededEntropy::new(SEED));
    let mut agents = Vec::new();
    for _ in 0..AGENTS {
        agents.push(Agent { pair: house.connect().await, over: false });
    }
    for _ in 0..ROUNDS {
        let mut spent = 0;
        for agent in agents.iter_mut().filter(|agent| !agent.over) {
            let luck = dice.luck();
            let pause = if matches!(luck, Luck::Lost | Luck::Late) { wait(&dice) } else { 0 };
            spent += pause;
            refresh(house, agent, (luck, pause), &dice).await;
        }
        house.server.clock.advance(Micros::from_seconds((FIVE_MINUTES - spent).max(1)));
    }
    agents
}

async fn refresh(house: &House, agent: &mut Agent, (luck, pause): (Luck, i64), dice: &Dice) {
    let Pair { client, refresh, .. } = agent.pair.clone();
    let ask = || house.client.refresh(&client, &refresh);
    let answer = match luck {
        Luck::Fine => ask().await,
        Luck::Doubled => {
            let (one, other) = join(ask(), ask()).await;
            assert_eq!((one.status, other.status), (StatusCode::OK, StatusCode::OK), "at once, both are answered");
            if dice.below(2) == 0 { one } else { other }
        }
        Luck::Lost => {
            assert_eq!(ask().await.status, StatusCode::OK);
            house.server.clock.advance(Micros::from_seconds(pause));
            ask().await
        }
        Luck::Late => {
            let heard = ask().await;
            house.server.clock.advance(Micros::from_seconds(pause));
            let late = ask().await;
            if late.status == StatusCode::OK { heard } else { late }
        }
    };
    agent.over = pause > 60;
    if agent.over {
        assert_eq!(
            (answer.status, &*answer.word()),
            (StatusCode::BAD_REQUEST, "invalid_grant"),
            "{luck:?} {pause} s late"
        );
    } else {
        agent.pair = pair(&client, &answer);
    }
}

/// How many connections the audit log says that a replay ended.
async fn ended(house: &House) -> usize {
    house.server.run(|app| async move {
        let read = |conn: &mut tfp::store::Conn<'_>| {
            tfp::on!(conn, c => audit::table
                .filter(audit::action.eq("oauth.token"))
                .filter(audit::outcome.eq("invalid_grant"))
                .select(audit::details)
                .load::<String>(c))
        };
        let details = app.services().store.read(read).await.unwrap();
        let details = details.iter().map(|text| serde_json::from_str::<Value>(text).unwrap());
        details.filter(|details| details["why"] == "refresh_replayed").count()
    })
}

pub fn retried_within_thirty_seconds_no_connection_is_lost(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let agents = day(&house, |dice| 1 + i64::from(dice.below(30))).await;
        assert!(agents.iter().all(|agent| !agent.over && house.opens(&agent.pair.access)));
        assert_eq!(ended(&house).await, 0);
    });
}

pub fn retried_after_ninety_seconds_the_rule_ends_those_and_no_other(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        // Few retries come late; by the end of the day that is enough.
        let agents = day(&house, |dice| if dice.below(100) == 0 { 90 } else { 20 }).await;
        let over = agents.iter().filter(|agent| agent.over).count();
        assert!((1..AGENTS).contains(&over), "the seed lets some live and some not: {over}");
        for agent in &agents {
            assert_eq!(house.opens(&agent.pair.access), !agent.over);
        }
        assert_eq!(ended(&house).await, over, "each has its line");
    });
}

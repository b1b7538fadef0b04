//! SIGTERM while agents call and refresh (bug log S12).

use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use diesel::prelude::*;
use futures_util::future::join_all;
use reqwest::StatusCode;
use serde_json::json;
use tfp::store::tables::notes;
use tfp::store::{Store, on};

use crate::support::agent::Agent;
use crate::support::person::{Person, Tokens};
use crate::support::server::{Process, Server};
use crate::support::{TestDb, runtime};

/// A request whose body never comes holds the server up for its patience, unless somebody insists.
pub fn twice(db: &TestDb) {
    let token = {
        let server = Server::start(db);
        server.user("ada", false);
        server.token("ada", "read")
    };
    let process = Process::serve(db.url(), &[]);
    let address = process.base.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).expect("it listens");
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
        Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"
    );
    stream.write_all(head.as_bytes()).expect("it is sent");
    std::thread::sleep(Duration::from_millis(300));
    process.ask_to_stop();
    std::thread::sleep(Duration::from_millis(300));
    let asked = Instant::now();
    process.ask_to_stop();
    process.ended();
    assert!(asked.elapsed() < PATIENCE, "it took {:?}", asked.elapsed());
}

const AGENTS: usize = 8;
/// How many calls are answered before the signal.
const LOAD: usize = 200;
/// Below the server's own patience of twenty seconds: it must not need that.
const PATIENCE: Duration = Duration::from_secs(18);

pub fn under_load(db: &TestDb) {
    let author = {
        let server = Server::start(db);
        server.import_example();
        server.user("author", false);
        server.token("author", "read contribute")
    };
    let process = Process::serve(db.url(), &[]);
    let base = process.base.clone();
    let newest: Arc<Mutex<Vec<Tokens>>> = Arc::default();
    let stopping = Arc::new(AtomicBool::new(false));
    let answered = Arc::new(AtomicUsize::new(0));
    let ended = runtime().block_on(async {
        let agent = Agent::new(&process.mcp(), &author);
        let problem = agent.must("pick_problem", json!({})).await["problems"][0]["problem"]["id"].clone();
        let attempt = agent.must("start_attempt", json!({ "problem": problem })).await["attempt"]["id"].clone();
        let person = Person::sign_in(&base, "author").await;
        for n in 0..AGENTS {
            let tokens = person.connect(&format!("agent {n}")).await;
            newest.lock().unwrap().push(tokens);
        }

        let mut load = Vec::new();
        for n in 0..AGENTS {
            let (base, newest, stops) = (base.clone(), newest.clone(), stopping.clone());
            let mut tokens = newest.lock().unwrap()[n].clone();
            load.push(tokio::spawn(async move {
                loop {
                    match tokens.refresh(&base).await {
                        Ok(next) => tokens = next,
                        Err(why) => {
                            assert!(stops.load(Ordering::SeqCst), "a refresh failed before the stop: {why}");
                            return;
                        }
                    }
                    newest.lock().unwrap()[n] = tokens.clone();
                }
            }));
            let (agent, attempt, stops) = (agent.clone(), attempt.clone(), stopping.clone());
            let answered = answered.clone();
            // One connection that is kept and never pauses, as the worst client does.
            load.push(tokio::spawn(async move {
                loop {
                    let call = json!({ "attempt_id": attempt, "body_md": "a note" });
                    match agent.try_call("add_note", call).await {
                        Ok((status, body)) => {
                            assert_eq!(status, StatusCode::OK, "{body}");
                            answered.fetch_add(1, Ordering::SeqCst);
                        }
                        Err(why) => {
                            assert!(stops.load(Ordering::SeqCst), "a call failed before the stop: {why}");
                            return;
                        }
                    }
                }
            }));
        }
        let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
        while answered.load(Ordering::SeqCst) < LOAD && tokio::time::Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        stopping.store(true, Ordering::SeqCst);
        let asked = Instant::now();
        process.ask_to_stop();
        for done in join_all(load).await {
            done.expect("the load ends well");
        }
        let status = process.ended();
        assert!(status.success(), "{status}");
        asked.elapsed()
    });
    let answered = i64::try_from(answered.load(Ordering::SeqCst)).expect("it is a count");
    assert!(answered >= i64::try_from(LOAD).expect("it is a count"), "there was load");
    assert!(ended < PATIENCE, "it took {ended:?} to stop");

    let process = Process::serve(db.url(), &[]);
    runtime().block_on(async {
        // A connection that nobody took may break; a call that was taken is answered.
        let store = Store::open(&db.settings()).expect("the store opens");
        let there: i64 =
            store.read(|conn| on!(conn, c => notes::table.count().get_result(c))).await.expect("the notes are counted");
        assert_eq!(there, answered, "a call took effect and its answer was cut off");
        let newest = std::mem::take(&mut *newest.lock().unwrap());
        for tokens in newest {
            // Whether its last exchange was answered or not: the pair in hand goes on, by itself or within its grace.
            tokens.refresh(&process.base).await.expect("the newest pair in hand goes on");
        }
    });
}

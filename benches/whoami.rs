//! What one authenticated `whoami` costs the server: its CPU time per call, user and system together, and calls per second at
//! several numbers of calls in flight.
//!
//! Beside it, in the same run, a bare actix-web server that parses a request of the same size and writes an answer of the same
//! size, with as many workers and asked by the same client over kept connections: the ratio says what is the product's and
//! what is HTTP's. That server is this program again, as a child.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a benchmark prints, and stops where it cannot go on"
)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use actix_web::{App, HttpResponse, HttpServer, web};
use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What tells the child its part, and how long its answers are.
const ECHO: &str = "--echo";
const WORKERS: usize = 2;
const IN_FLIGHT: [usize; 3] = [1, 16, 64];
/// Calls of one measurement: enough that a tick of ten milliseconds is nothing beside its CPU time. Each server has several, in
/// turn, so that both feel the same moods of the machine.
const CALLS: usize = 60_000;
const ROUNDS: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == ECHO) {
        return echo(arguments[at + 1].parse().expect("the child is told a length"));
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let database = format!("sqlite:{}", folder.path().join("bench.db").display());
    let tfp = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tfp"));
        command.args(arguments).env("TFP_DATABASE_URL", &database).env("TFP_WORKERS", WORKERS.to_string());
        command.env("TFP_LIMITS__MCP_PER_MINUTE", "1000000000").stdin(Stdio::null()).stderr(Stdio::null());
        command
    };
    assert!(tfp(&["admin", "user", "add", "ada"]).stdout(Stdio::null()).status().unwrap().success());
    let token = tfp(&["admin", "token", "ada"]).output().unwrap();
    let token = String::from_utf8(token.stdout).unwrap().trim().to_owned();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let whoami = Server::start(tfp(&["serve", "--listen", "127.0.0.1:0"]), &token);
        let length = Connection::open(&whoami).await.call().await;
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args([ECHO, &length.to_string()]);
        let bare = Server::start(child, &token);
        assert_eq!(Connection::open(&bare).await.call().await, length, "both answer as much");
        println!("whoami, {} bytes asked and {length} answered, {WORKERS} workers\n", whoami.body().len());
        println!("{:<34}{}", "in flight", IN_FLIGHT.map(|n| format!("{n:>10}")).concat());
        let mut columns = Vec::new();
        for in_flight in IN_FLIGHT {
            let (mut one, mut other) = (Cost::default(), Cost::default());
            for _ in 0..ROUNDS {
                one.add(&measure(&whoami, in_flight).await);
                other.add(&measure(&bare, in_flight).await);
            }
            columns.push([one, other]);
        }
        let row = |name: &str, cell: &dyn Fn(&[Cost; 2]) -> String| {
            println!("{name:<34}{}", columns.iter().map(cell).collect::<String>());
        };
        row("whoami, µs of CPU per call", &|both| format!("{:>10.1}", both[0].micros_per_call()));
        row("bare echo, µs of CPU per call", &|both| format!("{:>10.1}", both[1].micros_per_call()));
        row("ratio", &|both| format!("{:>10.2}", both[0].micros_per_call() / both[1].micros_per_call()));
        row("whoami, calls per second", &|both| format!("{:>10.0}", both[0].per_second()));
        row("bare echo, calls per second", &|both| format!("{:>10.0}", both[1].per_second()));
        row("ratio", &|both| format!("{:>10.2}", both[0].per_second() / both[1].per_second()));
    });
}

/// The bare server: it parses what comes, and answers as much as it was told.
fn echo(length: usize) {
    let empty = json!({ "jsonrpc": "2.0", "id": 1, "result": { "text": "" } }).to_string().len();
    let text = "x".repeat(length - empty);
    actix_web::rt::System::new().block_on(async move {
        let server = HttpServer::new(move || {
            let text = text.clone();
            App::new().route(
                "/mcp",
                web::post().to(move |asked: web::Json<Value>| {
                    let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "text": text } });
                    async { HttpResponse::Ok().json(answer) }
                }),
            )
        });
        let server = server.workers(WORKERS).tcp_nodelay(true).bind("127.0.0.1:0").unwrap();
        println!("tfp serves at http://{}, bare", server.addrs()[0]);
        server.run().await.unwrap();
    });
}

/// A server under measurement.
struct Server {
    child: Child,
    address: String,
    token: String,
}

impl Server {
    fn start(mut command: Command, token: &str) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| {
            let rest = line.strip_prefix("tfp serves at http://")?.to_owned();
            Some(rest.split(',').next()?.replace("localhost", "127.0.0.1"))
        });
        Self { child, address: address.expect("it says where it serves"), token: token.to_owned() }
    }

    fn body(&self) -> String {
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "whoami", "arguments": {} } })
            .to_string()
    }

    fn request(&self) -> Vec<u8> {
        let body = self.body();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n\r\n",
            self.address,
            self.token,
            body.len()
        );
        [head, body].concat().into_bytes()
    }

    /// Its CPU time, user and system, in ticks (proc(5)).
    fn ticks(&self) -> u32 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        // The name in brackets may hold spaces; what counts stands behind it.
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        fields[11].parse::<u32>().unwrap() + fields[12].parse::<u32>().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A kept connection, and no more of a client than that, so that the processors are the server's.
struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    buffer: Vec<u8>,
}

impl Connection {
    async fn open(server: &Server) -> Self {
        let stream = TcpStream::connect(&server.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, request: server.request(), buffer: Vec::with_capacity(16_384) }
    }

    /// One call; answers with the length of its answer's body.
    async fn call(&mut self) -> usize {
        self.stream.write_all(&self.request).await.unwrap();
        self.buffer.clear();
        loop {
            let read = self.stream.read_buf(&mut self.buffer).await.unwrap();
            assert!(read > 0, "the server hung up");
            let Some(end) = self.buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { continue };
            let head = std::str::from_utf8(&self.buffer[..end]).unwrap();
            assert!(head.starts_with("HTTP/1.1 200"), "{head}");
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(": ")?;
                name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().unwrap())
            });
            let length = length.expect("the answer says how long it is");
            if self.buffer.len() == end + 4 + length {
                return length;
            }
        }
    }
}

/// What some calls took.
#[derive(Default)]
struct Cost {
    calls: u32,
    ticks: u32,
    seconds: f64,
}

impl Cost {
    fn add(&mut self, more: &Self) {
        self.calls += more.calls;
        self.ticks += more.ticks;
        self.seconds += more.seconds;
    }

    fn micros_per_call(&self) -> f64 {
        f64::from(self.ticks) * micros_per_tick() / f64::from(self.calls)
    }

    fn per_second(&self) -> f64 {
        f64::from(self.calls) / self.seconds
    }
}

async fn measure(server: &Server, in_flight: usize) -> Cost {
    let mut connections = Vec::new();
    for _ in 0..in_flight {
        let mut connection = Connection::open(server).await;
        connection.call().await;
        connections.push(connection);
    }
    let (each, ticks, started) = (CALLS / in_flight, server.ticks(), Instant::now());
    let callers = connections.into_iter().map(|mut connection| async move {
        for _ in 0..each {
            connection.call().await;
        }
    });
    join_all(callers).await;
    let (seconds, ticks) = (started.elapsed().as_secs_f64(), server.ticks() - ticks);
    Cost { calls: u32::try_from(each * in_flight).unwrap(), ticks, seconds }
}

fn micros_per_tick() -> f64 {
    let said = Command::new("getconf").arg("CLK_TCK").output().unwrap();
    1_000_000.0 / String::from_utf8(said.stdout).unwrap().trim().parse::<f64>().unwrap()
}

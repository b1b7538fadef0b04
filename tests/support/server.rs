//! A whole server for one test: in this process with a clock that the test moves, or a process of its own.

use std::fs::File;
use std::future::Future;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;

use tfp::app::{App, Ports, open_store};
use tfp::config::Config;
use tfp::identity::NewUser;
use tfp::ports::{SystemClock, SystemEntropy};
use tfp_actors::Clock;
use tfp_actors::testkit::ManualClock;
use tokio::sync::mpsc as jobs;

use super::TestDb;

type Job = Box<dyn FnOnce(App) -> Pin<Box<dyn Future<Output = ()>>> + Send>;

/// A server in this process, on a port of its own. It stops with its value.
pub struct Server {
    /// Its origin.
    pub base: String,
    /// Where it really listens, whatever it is told of its address.
    pub address: SocketAddr,
    /// Its clock; it starts at the present and stands still.
    pub clock: ManualClock,
    jobs: Option<jobs::UnboundedSender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// The password of every account that a test makes.
pub const PASSWORD: &str = "a password of a test";

impl Server {
    /// A server over `db` with generous limits.
    pub fn start(db: &TestDb) -> Self {
        Self::start_with(db, ManualClock::at(SystemClock.now()), |_| {})
    }

    /// A server over `db`, with a clock that others may share and settings changed by `change`.
    pub fn start_with(db: &TestDb, clock: ManualClock, change: impl FnOnce(&mut Config)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let mut config = Config { listen: address, workers: 2, ..Config::default() };
        config.database_url = Some(db.url().to_owned());
        config.limits.auth_per_minute = 100_000;
        config.limits.mcp_per_minute = 1_000_000;
        change(&mut config);
        let base = config.public_origin().expect("the origin is one");
        let (store, _) = open_store(&config).expect("the store opens");
        let ports = Ports { clock: Arc::new(clock.clone()), entropy: Arc::new(SystemEntropy) };
        let (jobs, mut work) = jobs::unbounded_channel::<Job>();
        let (started, ready) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            actix_rt::System::new().block_on(async move {
                let app = App::build(config, store, ports).await.expect("the app is put together");
                let server = app.serve(listener).expect("it serves");
                started.send(()).expect("the test waits");
                while let Some(job) = work.recv().await {
                    actix_rt::spawn(job(app.clone()));
                }
                let _ = server.cut_off().await;
                app.close().await;
            });
        });
        ready.recv().expect("the server starts");
        Self { base, address, clock, jobs: Some(jobs), thread: Some(thread) }
    }

    /// The MCP endpoint.
    pub fn mcp(&self) -> String {
        format!("{}/mcp", self.base)
    }

    /// Runs something on the server's own thread, with its parts, and waits for the answer.
    pub fn run<T, F, Fut>(&self, job: F) -> T
    where
        T: Send + 'static,
        F: FnOnce(App) -> Fut + Send + 'static,
        Fut: Future<Output = T> + 'static,
    {
        let (answer, got) = mpsc::channel();
        let job: Job = Box::new(move |app| {
            Box::pin(async move {
                let _ = answer.send(job(app).await);
            })
        });
        assert!(self.jobs.as_ref().expect("it lives").send(job).is_ok(), "the server lives");
        got.recv().expect("the job answers")
    }

    /// Makes an account with [`PASSWORD`].
    pub fn user(&self, handle: &str, admin: bool) {
        self.add(handle, Some(PASSWORD.to_owned()), admin);
    }

    /// Makes an account that cannot sign in by a password, which takes no time to hash.
    pub fn user_without_password(&self, handle: &str) {
        self.add(handle, None, false);
    }

    fn add(&self, handle: &str, password: Option<String>, is_admin: bool) {
        let new = NewUser { handle: handle.to_owned(), display_name: String::new(), email: None, password, is_admin };
        self.run(|app| async move { app.identity().add_user(new).await.expect("the account is made") });
    }

    /// A bearer for `handle`, which must have an account.
    pub fn token(&self, handle: &str, scope: &str) -> String {
        let (handle, scopes) = (handle.to_owned(), tfp::tool::Scopes::parse_lossy(scope));
        self.run(move |app| async move { app.mint_token(&handle, &scopes).await.expect("the token is made") })
    }

    /// Imports the example campaign.
    pub fn import_example(&self) {
        self.run(|app| async move { app.import_example().await.expect("the example is imported") });
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A server as a process of its own, to be killed.
pub struct Process {
    /// Its origin.
    pub base: String,
    child: Child,
}

impl Process {
    /// `tfp serve` over the database at `url`, with these variables.
    pub fn serve(url: &str, variables: &[(&str, &str)]) -> Self {
        let mut serve = command(url);
        serve.envs(variables.iter().copied());
        Self::start(serve, "127.0.0.1:0")
    }

    /// The same, with its log, and whatever else it says as it dies, in a file.
    pub fn serve_with_log(url: &str, log: File) -> Self {
        let mut serve = command(url);
        serve.stderr(log);
        Self::start(serve, "127.0.0.1:0")
    }

    /// The same, and it outlives a write beyond the largest size of its files, which [`Self::limit_files`] sets.
    pub fn serve_with_limits(url: &str) -> Self {
        let mut serve = settings(Command::new("sh"), url);
        serve.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_tfp")]);
        Self::start(serve, "127.0.0.1:0")
    }

    /// `kill -9`, and the same server once more at the same address.
    pub fn restarted(self, url: &str) -> Self {
        let address = self.base.replace("http://localhost", "127.0.0.1");
        self.kill();
        Self::start(command(url), &address)
    }

    fn start(mut serve: Command, listen: &str) -> Self {
        let mut child =
            serve.args(["serve", "--listen", listen]).stdout(Stdio::piped()).spawn().expect("the server starts");
        let lines = BufReader::new(child.stdout.take().expect("its output is piped")).lines();
        let base = lines.map_while(Result::ok).find_map(|line| {
            let rest = line.strip_prefix("tfp serves at ")?;
            rest.split(',').next().map(str::to_owned)
        });
        Self { base: base.expect("the server says where it serves"), child }
    }

    /// The MCP endpoint.
    pub fn mcp(&self) -> String {
        format!("{}/mcp", self.base)
    }

    /// From now on no file of its may be larger than `bytes`.
    pub fn limit_files(&self, bytes: u32) {
        let arguments = [format!("--pid={}", self.child.id()), format!("--fsize={bytes}:")];
        assert!(Command::new("prlimit").args(arguments).status().expect("prlimit is there").success());
    }

    /// SIGTERM: asks it to stop.
    pub fn ask_to_stop(&self) {
        signal(&self.child, "TERM");
    }

    /// Waits until it has ended by itself.
    pub fn ended(mut self) -> ExitStatus {
        self.child.wait().expect("it ends")
    }

    /// `kill -9`.
    pub fn kill(mut self) {
        self.child.kill().expect("it is killed");
        self.child.wait().expect("it is gone");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal by its name.
pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success(), "the process is there");
}

/// The program over a database, its log thrown away.
pub fn command(url: &str) -> Command {
    settings(Command::new(env!("CARGO_BIN_EXE_tfp")), url)
}

fn settings(mut command: Command, url: &str) -> Command {
    command
        .env("TFP_DATABASE_URL", url)
        .env("TFP_LIMITS__AUTH_PER_MINUTE", "100000")
        .env("TFP_LIMITS__MCP_PER_MINUTE", "1000000");
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}

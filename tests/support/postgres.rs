//! One PostgreSQL server for the whole run: started by the first test that needs it, on a free port, in a folder of its
//! own; stopped and removed when the run ends, however it ends.

use std::fmt::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock};

/// The folder with the server's programs.
static PROGRAMS: LazyLock<Result<PathBuf, String>> = LazyLock::new(programs);
static SERVER: OnceLock<Server> = OnceLock::new();
static NEXT: AtomicU32 = AtomicU32::new(0);

struct Server {
    port: u16,
    /// A shell that waits for this process to end, then stops the server: it outlives a run that was killed.
    guard: Mutex<Option<Child>>,
}

/// Why there can be no server here.
pub fn lack() -> Option<String> {
    PROGRAMS.as_ref().err().cloned()
}

/// Creates a database and says its name and URL.
pub fn create() -> Option<(String, String)> {
    let programs = PROGRAMS.as_ref().ok()?;
    let server = SERVER.get_or_init(|| Server::start(programs).expect("PostgreSQL starts"));
    let name = format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
    server.tell(programs, &format!("CREATE DATABASE {name} TEMPLATE template0")).expect("a database can be created");
    let url = format!("postgres://postgres@127.0.0.1:{}/{name}", server.port);
    Some((name, url))
}

/// Removes a database, whoever is still connected to it.
pub fn remove(name: &str) {
    if let (Ok(programs), Some(server)) = (PROGRAMS.as_ref(), SERVER.get()) {
        let _ = server.tell(programs, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
    }
}

/// Stops the server where one was started, and waits for that.
pub fn stop() {
    if let Some(server) = SERVER.get()
        && let Some(mut guard) = server.guard.lock().expect("nobody panics here").take()
    {
        drop(guard.stdin.take());
        let _ = guard.wait();
    }
}

impl Server {
    fn start(programs: &Path) -> Result<Self, String> {
        let folder = tempfile::Builder::new().prefix("tfp-pg-").tempdir().map_err(|e| e.to_string())?.keep();
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).map_err(|e| e.to_string())?.port();
        if is_root() {
            finish(Command::new("chown").arg("postgres").arg(&folder))?;
        }
        let data = folder.join("data");
        finish(program(programs, "initdb").arg("-D").arg(&data).args([
            "-U",
            "postgres",
            "-A",
            "trust",
            // A language's order, not the bytes': what an operator's server mostly has.
            "--locale=C.UTF-8",
            "--locale-provider=icu",
            "--icu-locale=en-US",
            "-E",
            "UTF8",
            "--no-sync",
        ]))?;
        let mut options = format!("-p {port} -c listen_addresses=127.0.0.1 -c max_connections=300 -c fsync=off");
        let _ = write!(options, " -c unix_socket_directories={}", folder.display());
        let mut start = program(programs, "pg_ctl");
        start.arg("-D").arg(&data).arg("-w").arg("-l").arg(folder.join("log")).arg("-o").arg(&options).arg("start");
        // The server inherits what it is started with: a pipe would never end.
        let started = start.stdout(Stdio::null()).stderr(Stdio::null()).status().map_err(|e| e.to_string())?;
        if !started.success() {
            return Err(std::fs::read_to_string(folder.join("log")).unwrap_or_else(|e| e.to_string()));
        }
        let stop = if is_root() { "runuser -u postgres -- " } else { "" };
        let script = format!(
            "trap '' INT TERM HUP; cat; {stop}'{}' -D '{}' -m immediate stop; rm -rf '{}'",
            programs.join("pg_ctl").display(),
            data.display(),
            folder.display()
        );
        let guard = Command::new("sh")
            .args(["-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| e.to_string())?;
        Ok(Self { port, guard: Mutex::new(Some(guard)) })
    }

    fn tell(&self, programs: &Path, sql: &str) -> Result<(), String> {
        let port = self.port.to_string();
        let psql = programs.join("psql");
        let psql = if psql.exists() { psql } else { PathBuf::from("psql") };
        finish(Command::new(psql).args([
            "-h",
            "127.0.0.1",
            "-p",
            &port,
            "-U",
            "postgres",
            "-d",
            "postgres",
            "-q",
            "-c",
            sql,
        ]))
    }
}

/// A program of the server, run as a user that the server accepts.
fn program(programs: &Path, name: &str) -> Command {
    let path = programs.join(name);
    if is_root() {
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--"]).arg(path);
        command.current_dir("/");
        command
    } else {
        Command::new(path)
    }
}

fn finish(command: &mut Command) -> Result<(), String> {
    let done = command.stdin(Stdio::null()).output().map_err(|e| format!("{command:?}: {e}"))?;
    if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

fn programs() -> Result<PathBuf, String> {
    let mut found: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|version| Some(version.ok()?.path().join("bin")))
        .filter(|folder| folder.join("initdb").exists())
        .collect();
    found.sort();
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&on_path).find(|folder| folder.join("initdb").exists());
    let folder = found.pop().or(on_path).ok_or("initdb is neither in /usr/lib/postgresql/*/bin nor on PATH")?;
    if is_root() && finish(Command::new("runuser").args(["-u", "postgres", "--", "true"])).is_err() {
        return Err("PostgreSQL refuses to run as root and there is no user postgres to run it as".to_owned());
    }
    Ok(folder)
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|this| this.uid() == 0)
}

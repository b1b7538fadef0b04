//! Chromium, driven through its WebDriver: each test has a driver, a port and a profile of its own.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fantoccini::elements::Element;
use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;
use url::Url;

/// How long a page may take to get somewhere.
const PATIENCE: Duration = Duration::from_secs(30);

const FLAGS: &[&str] = &[
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // Nothing outside this machine: a page that wants a font from elsewhere is told at once that there is none.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
    "--hide-scrollbars",
    "--window-size=1280,900",
];

/// A browser with a fresh profile. It ends with its value.
pub struct Browser {
    client: Client,
    /// The session's address at the driver, for what WebDriver itself does not offer.
    session: String,
    http: reqwest::Client,
    _driver: Driver,
    _profile: TempDir,
}

struct Driver {
    child: Child,
    port: u16,
}

impl Driver {
    fn start() -> Self {
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let lines = BufReader::new(child.stdout.take().expect("its output is piped")).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        Self { child, port: port.expect("chromedriver says where it listens") }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Asked to shut down it ends its browsers too; killed alone it would leave them behind.
        let request = format!("GET /shutdown HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", self.port);
        if let Ok(mut stream) = std::net::TcpStream::connect(("127.0.0.1", self.port)) {
            let _ = std::io::Write::write_all(&mut stream, request.as_bytes());
            let _ = stream.set_read_timeout(Some(PATIENCE));
            let _ = std::io::Read::read_to_end(&mut stream, &mut Vec::new());
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    /// A browser that has never been anywhere.
    pub async fn start() -> Self {
        let driver = Driver::start();
        let profile = tempfile::tempdir().expect("a folder can be made");
        let flags = FLAGS.iter().map(|flag| (*flag).to_owned());
        let flags: Vec<_> = flags.chain([format!("--user-data-dir={}", profile.path().display())]).collect();
        let mut wanted = Capabilities::new();
        wanted.insert("goog:chromeOptions".to_owned(), json!({ "args": flags }));
        wanted.insert("goog:loggingPrefs".to_owned(), json!({ "browser": "ALL" }));
        let address = format!("http://127.0.0.1:{}", driver.port);
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let client = builder.capabilities(wanted).connect(&address).await.expect("a session begins");
        let id = client.session_id().await.expect("the driver answers").expect("a session has an id");
        let session = format!("{address}/session/{id}");
        Self {
            client,
            session,
            http: reqwest::Client::builder().build().expect("a client can be made"),
            _driver: driver,
            _profile: profile,
        }
    }

    /// Opens an address.
    pub async fn open(&self, url: &str) {
        self.client.goto(url).await.expect("the page opens");
    }

    /// Where it is.
    pub async fn url(&self) -> Url {
        self.client.current_url().await.expect("it is somewhere")
    }

    /// Waits until it is at `path`.
    pub async fn arrive(&self, path: &str) {
        let until = std::time::Instant::now() + PATIENCE;
        loop {
            let url = self.url().await;
            if url.path() == path {
                return;
            }
            assert!(std::time::Instant::now() < until, "it should be at {path} and is at {url}: {}", self.text().await);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The first element that the selector finds; waits for it a while.
    pub async fn find(&self, css: &str) -> Element {
        let found = self.client.wait().at_most(PATIENCE).for_element(Locator::Css(css)).await;
        match found {
            Ok(element) => element,
            Err(error) => panic!("{css} is not there ({error}): {}", self.text().await),
        }
    }

    /// How many elements the selector finds.
    pub async fn count(&self, css: &str) -> usize {
        self.client.find_all(Locator::Css(css)).await.expect("the page answers").len()
    }

    /// Types into a field, replacing what it held.
    pub async fn fill(&self, css: &str, text: &str) {
        let field = self.find(css).await;
        field.clear().await.expect("a field can be emptied");
        field.send_keys(text).await.expect("a field can be typed into");
    }

    /// Clicks.
    pub async fn press(&self, css: &str) {
        self.click(Locator::Css(css)).await;
    }

    /// Clicks the first element with exactly these words.
    pub async fn press_words(&self, words: &str) {
        self.click(Locator::XPath(&format!("//*[normalize-space(text())='{words}']"))).await;
    }

    /// A page that still builds itself may put another element in the place of the one that was found: then once more.
    async fn click(&self, what: Locator<'_>) {
        let until = std::time::Instant::now() + PATIENCE;
        loop {
            let found = self.client.wait().at_most(PATIENCE).for_element(what).await;
            let clicked = match found {
                Ok(element) => element.click().await,
                Err(error) => Err(error),
            };
            let Err(error) = clicked else { return };
            let over = std::time::Instant::now() > until;
            assert!(!over, "{what:?} cannot be clicked ({error}): {}", self.text().await);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until what a person can read on the page is as it should be, and answers it.
    pub async fn read(&self, wanted: &str, holds: impl Fn(&str) -> bool) -> String {
        let until = std::time::Instant::now() + PATIENCE;
        loop {
            // The driver's own way of reading takes seconds where a page is long.
            let text = self.client.execute("return document.body.innerText", Vec::new()).await;
            // While one page gives way to the next there is nothing to read.
            let text = text.ok().and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default();
            if holds(&text) {
                return text;
            }
            assert!(std::time::Instant::now() < until, "the page should show {wanted}: {text}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// What a person can read on the page.
    pub async fn text(&self) -> String {
        match self.client.find(Locator::Css("body")).await {
            Ok(body) => body.text().await.unwrap_or_default(),
            Err(error) => format!("(no page: {error})"),
        }
    }

    /// Runs a script and answers what it returns.
    pub async fn script(&self, script: &str) -> Value {
        self.client.execute(script, Vec::new()).await.expect("the script runs")
    }

    /// A command of Chromium's own protocol.
    pub async fn command(&self, name: &str, parameters: Value) -> Value {
        self.post("goog/cdp/execute", json!({ "cmd": name, "params": parameters })).await
    }

    /// What the browser complained about since it was last asked: blocked styles, scripts, forms, broken links.
    pub async fn complaints(&self) -> Vec<String> {
        let entries = self.post("se/log", json!({ "type": "browser" })).await;
        let entries = entries.as_array().cloned().unwrap_or_default();
        entries.iter().map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let response = self.http.post(format!("{}/{path}", self.session)).json(&body).send().await;
        let answer: Value = response.expect("the driver answers").json().await.expect("in JSON");
        let value = answer["value"].clone();
        assert!(value.get("error").is_none(), "{path} {body}: {value}");
        value
    }
}

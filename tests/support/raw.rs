//! Requests as bytes over a connection of the test's own, for what no HTTP client does: hanging up, stopping half-way, lying.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// No answer of this server takes longer.
const PATIENCE: Duration = Duration::from_secs(100);

/// A connection to the server at an origin.
pub struct Raw {
    stream: TcpStream,
    host: String,
}

impl Raw {
    /// Opens one.
    pub async fn open(base: &str) -> Self {
        let host = base.trim_start_matches("http://").to_owned();
        let stream = TcpStream::connect(host.replace("localhost", "127.0.0.1")).await.expect("the server listens");
        Self { stream, host }
    }

    /// Sends bytes as they are.
    pub async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("the bytes are sent");
        self.stream.flush().await.expect("the bytes are sent");
    }

    /// Sends a whole POST of JSON to `/mcp`. `fields` are further header lines, each with its line end.
    pub async fn post(&mut self, token: &str, fields: &str, body: &str) {
        let head = self.head(token, fields, body.len());
        self.send(format!("{head}{body}").as_bytes()).await;
    }

    /// The head of such a POST whose body says that it has `length` bytes.
    pub fn head(&self, token: &str, fields: &str, length: usize) -> String {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n{fields}\r\n",
            self.host
        )
    }

    /// What comes until the server closes the connection.
    pub async fn rest(&mut self) -> String {
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(PATIENCE, self.stream.read_to_end(&mut bytes)).await;
        read.expect("the server ends the connection").expect("the answer is read");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The message that calls a tool.
pub fn tool_call(tool: &str, arguments: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
        .to_string()
}

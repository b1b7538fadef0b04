//! A site over TLS on this machine, with a certificate of its own making, that counts who comes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// What a path answers: the head's further fields and the body; status 200 where the head names none.
#[derive(Clone, Default)]
pub struct Page {
    pub status: &'static str,
    pub fields: String,
    pub body: String,
    /// Whether the body stays away for ever.
    pub stuck: bool,
}

/// The site.
pub struct Site {
    pub port: u16,
    /// The certificate that a client must trust.
    pub ca_file: PathBuf,
    pages: Arc<Mutex<HashMap<String, Page>>>,
    connections: Arc<AtomicUsize>,
    _folder: TempDir,
}

impl Site {
    /// Opens it for the name `localhost`, within the runtime that is running.
    pub async fn open() -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate can be made");
        let folder = tempfile::tempdir().expect("a folder can be made");
        let ca_file = folder.path().join("ca.pem");
        std::fs::write(&ca_file, made.cert.pem()).expect("the certificate can be kept");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the versions are known")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .expect("the key fits");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let pages: Arc<Mutex<HashMap<String, Page>>> = Arc::default();
        let connections = Arc::new(AtomicUsize::new(0));
        let (shown, counted) = (Arc::clone(&pages), Arc::clone(&connections));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(acceptor.clone(), stream, Arc::clone(&shown)));
            }
        });
        Self { port, ca_file, pages, connections, _folder: folder }
    }

    /// Puts a page at a path.
    pub fn put(&self, path: &str, page: Page) {
        self.pages.lock().expect("nobody panics").insert(path.to_owned(), page);
    }

    /// Puts JSON at a path, with further fields of the head.
    pub fn put_json(&self, path: &str, body: &serde_json::Value, fields: &str) {
        let fields = format!("content-type: application/json\r\n{fields}");
        self.put(path, Page { fields, body: body.to_string(), ..Page::default() });
    }

    /// The address of a path, by name.
    pub fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.port)
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn serve(acceptor: TlsAcceptor, stream: TcpStream, pages: Arc<Mutex<HashMap<String, Page>>>) {
    let Ok(mut stream) = acceptor.accept(stream).await else { return };
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        match stream.read(&mut byte).await {
            Ok(1) => head.push(byte[0]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default();
    let page = pages.lock().expect("nobody panics").get(path).cloned();
    let missing = Page { status: "404 Not Found", ..Page::default() };
    let Page { status, fields, body, stuck } = page.unwrap_or(missing);
    let status = if status.is_empty() { "200 OK" } else { status };
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{fields}content-length: {length}\r\nconnection: close\r\n\r\n");
    let _ = stream.write_all(head.as_bytes()).await;
    if stuck {
        let _ = stream.flush().await;
        std::future::pending::<()>().await;
    }
    let _ = stream.write_all(body.as_bytes()).await;
    let _ = stream.shutdown().await;
}

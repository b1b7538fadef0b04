//! The Rust SDK's client, through the whole of OAuth and into each way of starting that it knows.

use ::rmcp::model::{
    CallToolRequestParams, ClientConfig, ProtocolVersion, ReadResourceRequestParams, ResourceContents,
};
use ::rmcp::service::{ClientInitializeError, RunningService, ServiceError};
use ::rmcp::transport::StreamableHttpClientTransport;
use ::rmcp::transport::auth::{AuthClient, AuthError, AuthorizationRequest, OAuthState};
use ::rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use ::rmcp::{ClientLifecycleMode, ClientServiceExt as _, RoleClient};
use serde_json::Value;

use super::person::Person;
use crate::support::server::Server;

/// Where the agent would listen for its code. Nothing has to: the test reads the redirect itself.
const REDIRECT: &str = "http://127.0.0.1:9/callback";
const CLIENT_NAME: &str = "A client of the Rust SDK";

/// A connected agent.
pub struct Agent {
    service: RunningService<RoleClient, ClientConfig>,
    auth: AuthClient<reqwest::Client>,
}

impl Agent {
    /// Connects as a stranger does: refused with a challenge, which leads to the metadata, to registration, to the person's
    /// approval and to tokens.
    pub async fn connect(server: &Server, mode: ClientLifecycleMode, handle: &str, scopes: &[&str]) -> Self {
        let bare = StreamableHttpClientTransport::from_uri(server.mcp());
        let refused = ClientConfig::default().serve_with_lifecycle(bare, mode.clone()).await;
        let challenge = match &refused {
            Ok(_) => panic!("a stranger must be refused"),
            Err(error) => error.auth_challenge().unwrap_or_else(|| panic!("no challenge: {error}")).to_owned(),
        };
        let mut oauth = OAuthState::new(server.mcp(), None).await.expect("the endpoint has an address");
        let request = AuthorizationRequest::new(REDIRECT)
            .with_challenge(challenge)
            .with_client_name(CLIENT_NAME)
            .with_scopes(scopes.iter().copied());
        oauth.start_authorization(request).await.expect("the server is discovered and the client registered");
        let authorize = oauth.get_authorization_url().await.expect("a session has begun");
        let back = Person::new(&server.base, handle).approve(&authorize).await;
        assert!(back.starts_with(REDIRECT), "the answer goes to {back}");
        oauth.handle_callback_url(&back).await.expect("the code is exchanged");
        let manager = oauth.into_authorization_manager().expect("it is authorized");
        let auth = AuthClient::new(reqwest::Client::builder().build().expect("a client can be made"), manager);
        let service = serve(server, auth.clone(), mode).await.expect("an authorized client is served");
        Self { service, auth }
    }

    /// The revision that was agreed on.
    pub fn version(&self) -> ProtocolVersion {
        self.service.peer_info().expect("it is known after the start").protocol_version.clone()
    }

    /// The names of the tools that the server lists.
    pub async fn tools(&self) -> Vec<String> {
        let tools = self.service.list_all_tools().await.expect("tools are listed");
        tools.into_iter().map(|tool| tool.name.into_owned()).collect()
    }

    /// Calls a tool that must succeed, and answers its envelope.
    pub async fn call(&self, tool: &'static str, arguments: Value) -> Value {
        let (envelope, is_error) = self.try_call(tool, arguments).await.expect("the call is answered");
        assert!(!is_error, "{tool} was refused: {envelope}");
        envelope
    }

    /// Calls a tool that must be refused, and answers the code of the refusal.
    pub async fn refused(&self, tool: &'static str, arguments: Value) -> String {
        let (envelope, is_error) = self.try_call(tool, arguments).await.expect("the call is answered");
        assert!(is_error, "{tool} was not refused: {envelope}");
        super::text(&envelope, "/error/code")
    }

    /// Calls a tool; the envelope, and whether it is an error.
    pub async fn try_call(&self, tool: &'static str, arguments: Value) -> Result<(Value, bool), ServiceError> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let result = self.service.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await?;
        let envelope = result.structured_content.expect("a result has structured content");
        let texts: Vec<_> = result.content.iter().filter_map(|block| block.as_text()).collect();
        let [text] = texts.as_slice() else { panic!("{tool} answers {} texts", texts.len()) };
        let mirrored: Value = serde_json::from_str(&text.text).expect("the text is the envelope");
        assert_eq!(mirrored, envelope, "the text of {tool} says the same as its structured content");
        Ok((envelope, result.is_error.unwrap_or(false)))
    }

    /// Reads a resource that is one text.
    pub async fn read(&self, uri: &str) -> String {
        let result = self.service.read_resource(ReadResourceRequestParams::new(uri)).await.expect("it can be read");
        match result.contents.as_slice() {
            [ResourceContents::TextResourceContents { uri: echoed, text, .. }] => {
                assert_eq!(echoed, uri);
                text.clone()
            }
            other => panic!("{uri} is not one text: {other:?}"),
        }
    }

    /// The URI templates that the server lists.
    pub async fn templates(&self) -> Vec<String> {
        let templates = self.service.list_all_resource_templates().await.expect("templates are listed");
        templates.into_iter().map(|template| template.uri_template).collect()
    }

    /// The access token in use.
    pub async fn access_token(&self) -> String {
        self.auth.get_access_token().await.expect("there is one")
    }

    /// Exchanges the refresh token for a new pair.
    pub async fn refresh(&self) -> Result<(), AuthError> {
        self.auth.auth_manager.lock().await.refresh_token().await.map(drop)
    }

    /// The same authorization in a new client.
    pub async fn again(&self, server: &Server, mode: ClientLifecycleMode) -> Result<Self, ClientInitializeError> {
        let auth = self.auth.clone();
        let service = serve(server, auth.clone(), mode).await?;
        Ok(Self { service, auth })
    }
}

async fn serve(
    server: &Server,
    auth: AuthClient<reqwest::Client>,
    mode: ClientLifecycleMode,
) -> Result<RunningService<RoleClient, ClientConfig>, ClientInitializeError> {
    let config = StreamableHttpClientTransportConfig::with_uri(server.mcp());
    let transport = StreamableHttpClientTransport::with_client(auth, config);
    ClientConfig::default().serve_with_lifecycle(transport, mode).await
}

/// Handshake first.
pub fn initialize() -> ClientLifecycleMode {
    ClientLifecycleMode::Initialize
}

/// No handshake.
pub fn discover() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

/// Without a handshake if the server can, else with one.
pub fn auto() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto { preferred_versions: vec![ProtocolVersion::V_2026_07_28], legacy_version: None }
}

//! Which tools a connection has: the person's choice, at consent and later.

use reqwest::StatusCode;
use reqwest::header::COOKIE;
use serde_json::{Value, json};

use super::VERIFIER;
use super::client::{Answer, Client, House, pair, read};
use super::person::{Person, code};
use crate::support::{TestDb, block_on};

/// A connection with the tools of `choice`.
async fn connect(house: &House, ada: &Person, choice: &[(&str, &str)]) -> String {
    let client = house.client.register("an agent").await;
    let ticket = ada.ticket(&Client::authorize(&client, &[])).await;
    let scopes = [("decision", "approve"), ("scope", "read"), ("scope", "contribute")];
    let form: Vec<(&str, &str)> = scopes.iter().chain(choice).copied().collect();
    let code = code(&ada.answer(&ticket, &form).await);
    pair(&client, &house.client.redeem(&client, &code, VERIFIER).await).access
}

async fn rpc(house: &House, token: &str, method: &str, params: Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let post = house.client.http.post(format!("{}/mcp", house.client.base)).bearer_auth(token).json(&body);
    let answer = post.send().await.expect("an answer");
    assert_eq!(answer.status(), StatusCode::OK);
    answer.json().await.expect("JSON")
}

async fn listed(house: &House, token: &str) -> Vec<String> {
    let list = rpc(house, token, "tools/list", json!({})).await;
    let tools = list["result"]["tools"].as_array().expect("a list").iter();
    tools.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

/// The code that a call is refused with; empty where it is not.
async fn refusal(house: &House, token: &str, tool: &str, arguments: Value) -> String {
    let answer = rpc(house, token, "tools/call", json!({ "name": tool, "arguments": arguments })).await;
    answer.pointer("/result/structuredContent/error/code").and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub fn the_chosen_tools_alone_are_listed_explained_and_run(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let ada = house.ada();
        let all = connect(&house, &ada, &[("tools", "all")]).await;
        assert_eq!(listed(&house, &all).await.len(), tfp::surface::WORK.len());

        let reads = connect(&house, &ada, &[("tools", "read_only")]).await;
        let shown = listed(&house, &reads).await;
        assert!(shown.contains(&"get_problem".to_owned()) && !shown.contains(&"start_attempt".to_owned()), "{shown:?}");
        // The refusal comes before the arguments are looked at: nothing is learned of a tool that one does not have.
        assert_eq!(refusal(&house, &reads, "start_attempt", json!({ "nonsense": 1 })).await, "tool_not_allowed");
        assert_eq!(refusal(&house, &reads, "whoami", json!({})).await, "");

        let two = [("tools", "chosen"), ("tool", "get_help"), ("tool", "add_note"), ("tool", "no_such_tool")];
        let few = connect(&house, &ada, &two).await;
        assert_eq!(listed(&house, &few).await, ["get_help", "add_note"]);
        assert_eq!(refusal(&house, &few, "whoami", json!({})).await, "tool_not_allowed");
        assert_eq!(refusal(&house, &few, "add_note", json!({})).await, "invalid_input");
        assert_eq!(refusal(&house, &few, "get_help", json!({ "tool": "whoami" })).await, "not_found");
        assert_eq!(refusal(&house, &few, "get_help", json!({ "tool": "add_note" })).await, "");
    });
}

pub fn a_form_without_a_tool_or_with_another_choice_connects_nothing(db: &TestDb) {
    let house = House::open(db);
    block_on(async {
        let client = house.client.register("an agent").await;
        let ada = house.ada();
        for choice in [&[][..], &[("tools", "chosen")], &[("tools", "chosen"), ("tool", "rm")], &[("tools", "some")]] {
            let ticket = ada.ticket(&Client::authorize(&client, &[])).await;
            let form: Vec<(&str, &str)> = [("decision", "approve")].iter().chain(choice).copied().collect();
            let refused = ada.answer(&ticket, &form).await;
            assert_eq!(
                (refused.status, refused.header("location")),
                (StatusCode::UNPROCESSABLE_ENTITY, ""),
                "{choice:?}"
            );
        }
    });
}

/// The hidden field `name` of the first form that leads to `action`.
fn hidden(page: &str, action: &str, name: &str) -> String {
    let form = page.split_once(&format!("action=\"{action}\"")).expect("the form is there").1;
    let field = form.split_once(&format!("name=\"{name}\" value=\"")).expect("the field is there").1;
    field.split('"').next().expect("it has a value").to_owned()
}

async fn choose(house: &House, person: &Person, fields: &[(&str, &str)]) -> Answer {
    let post = house.client.http.post(format!("{}/settings/agents/tools", house.client.base));
    read(post.header(COOKIE, person.cookie()).header("sec-fetch-site", "same-origin").form(&fields)).await
}

pub fn a_change_of_tools_holds_from_the_next_call_on_and_is_its_owners_alone(db: &TestDb) {
    let house = House::open(db);
    house.server.user("eve", false);
    block_on(async {
        let (ada, eve) = (house.ada(), Person::sign_in(&house.server, "eve"));
        let token = connect(&house, &ada, &[("tools", "all")]).await;
        let everything = listed(&house, &token).await;
        let page = ada.open("/settings/agents").await.body.to_string().replace("\\\"", "\"");
        let csrf = hidden(&page, "/settings/agents/tools", "csrf");
        let connection = hidden(&page, "/settings/agents/tools", "connection");
        let fields = |csrf: &'_ str, tools: &'_ str| {
            vec![
                ("csrf".to_owned(), csrf.to_owned()),
                ("connection".to_owned(), connection.clone()),
                ("tools".to_owned(), tools.to_owned()),
            ]
        };
        fn borrowed(fields: &[(String, String)]) -> Vec<(&str, &str)> {
            fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
        }

        let refused = choose(&house, &ada, &borrowed(&fields("forged", "read_only"))).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN);
        connect(&house, &eve, &[("tools", "all")]).await;
        let eves = eve.open("/settings/agents").await.body.to_string().replace("\\\"", "\"");
        let eves = hidden(&eves, "/settings/agents/tools", "csrf");
        let refused = choose(&house, &eve, &borrowed(&fields(&eves, "read_only"))).await;
        assert_eq!(refused.status, StatusCode::NOT_FOUND, "it is no connection of hers");
        assert_eq!(listed(&house, &token).await, everything);

        let changed = choose(&house, &ada, &borrowed(&fields(&csrf, "read_only"))).await;
        assert_eq!(changed.header("location"), "/settings/agents?changed");
        assert_eq!(refusal(&house, &token, "start_attempt", json!({})).await, "tool_not_allowed", "the very next call");
        assert!(listed(&house, &token).await.len() < everything.len());
        let changed = choose(&house, &ada, &borrowed(&fields(&csrf, "all"))).await;
        assert_eq!(changed.status, StatusCode::SEE_OTHER);
        assert_eq!(listed(&house, &token).await, everything);

        let csrf = hidden(&page, "/settings/agents/revoke", "csrf");
        let ended = house.client.http.post(format!("{}/settings/agents/revoke", house.client.base));
        let form = [("csrf", &*csrf), ("connection", &*connection)];
        read(ended.header(COOKIE, ada.cookie()).header("sec-fetch-site", "same-origin").form(&form)).await;
        let csrf = hidden(&page, "/settings/agents/tools", "csrf");
        let late = choose(&house, &ada, &borrowed(&fields(&csrf, "all"))).await;
        assert_eq!(late.status, StatusCode::NOT_FOUND, "an ended connection has no tools to choose");
    });
}

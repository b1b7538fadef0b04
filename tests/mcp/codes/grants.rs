//! The ways to be refused by the authorization server and by pages.

use serde_json::{Value, json};

use super::Form;
use super::scene::Scene;
use crate::oauth::client::{Answer, Client, read};
use crate::oauth::person::{Person, back};

fn oauth(answer: Answer) -> Form {
    Form::OAuth { status: answer.status.as_u16(), body: answer.body }
}

fn html(answer: Answer) -> Form {
    Form::Page { status: answer.status.as_u16(), html: answer.body.as_str().unwrap_or_default().to_owned() }
}

fn led_back(answer: &Answer) -> Form {
    let word = |name: &str| back(answer, name).unwrap_or_default();
    Form::Back { error: word("error"), description: word("error_description") }
}

pub async fn token(scene: &Scene, form: &[(&str, &str)]) -> Form {
    oauth(Client::of(&scene.server).form("/oauth/token", form).await)
}

pub async fn unknown_refresh_token(scene: &Scene) -> Form {
    let client = Client::of(&scene.server);
    let id = client.register("an agent").await;
    oauth(client.refresh(&id, "tfp_rt_made_up").await)
}

pub async fn unknown_client(scene: &Scene) -> Form {
    oauth(Client::of(&scene.server).refresh("cli_unknown", "tfp_rt_made_up").await)
}

pub async fn registered(scene: &Scene, metadata: Value) -> Form {
    oauth(Client::of(&scene.server).json("/oauth/register", &metadata).await)
}

pub async fn json_for_a_form(scene: &Scene) -> Form {
    oauth(Client::of(&scene.server).json("/oauth/token", &json!({ "grant_type": "refresh_token" })).await)
}

pub async fn wrong_method(scene: &Scene) -> Form {
    oauth(Client::of(&scene.server).get("/oauth/token").await)
}

/// An authorization request with one parameter in place of the usual one.
pub async fn asked(scene: &Scene, more: (&str, &str)) -> Form {
    let client = Client::of(&scene.server);
    let id = client.register("an agent").await;
    led_back(&client.get(&Client::authorize(&id, &[more])).await)
}

pub async fn denied(scene: &Scene) -> Form {
    let id = Client::of(&scene.server).register("an agent").await;
    let ada = Person::sign_in(&scene.server, "ada");
    let ticket = ada.ticket(&Client::authorize(&id, &[])).await;
    led_back(&ada.decide(&ticket, "deny", &[]).await)
}

pub async fn page(scene: &Scene, path: &str) -> Form {
    html(Client::of(&scene.server).get(path).await)
}

/// The form that signs out, sent by a signed-in person's browser.
pub async fn form(scene: &Scene, fields: &[(&str, &str)], site: &str) -> Form {
    let ada = Person::sign_in(&scene.server, "ada");
    html(read(ada.post("/sign-out").header("sec-fetch-site", site).form(fields)).await)
}

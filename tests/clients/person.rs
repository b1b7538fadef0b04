//! A person at a browser, as far as signing in and approving an app need one: cookies, forms and redirects.

use regex::Regex;
use reqwest::header::{LOCATION, ORIGIN};
use url::Url;

use crate::support::server::PASSWORD;

/// Someone with an account, at a browser that nobody has signed in with yet.
pub struct Person {
    http: reqwest::Client,
    base: Url,
    handle: String,
}

/// Where a request leads in the end.
enum Reached {
    Page(Page),
    /// Away from the server: to the address that the app gave for the answer.
    Away(String),
}

struct Page {
    url: Url,
    html: String,
}

/// A form as its page shows it: the fields that a browser would send, untouched.
struct Form {
    action: String,
    fields: Vec<(String, String)>,
    /// The names of all its inputs and, as `name=value`, of its buttons.
    parts: Vec<String>,
}

impl Person {
    /// `handle`'s browser; the account has the password of every account here.
    pub fn new(base: &str, handle: &str) -> Self {
        let http = reqwest::Client::builder()
            .cookie_store(true)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .expect("a client can be made");
        Self { http, base: Url::parse(base).expect("a server has an address"), handle: handle.to_owned() }
    }

    /// Opens the address that an app sends people to, signs in on the way, and approves. Answers where that leads.
    pub async fn approve(&self, authorize: &str) -> String {
        let authorize = Url::parse(authorize).expect("the address is one");
        assert!(authorize.as_str().starts_with(self.base.as_str()), "the app leads to {authorize}");
        let page = self.open(authorize).await.page();
        assert_eq!(page.url.path(), "/sign-in", "nobody has signed in yet");
        let form = page.form("password").with("name", &self.handle).with("password", PASSWORD);
        let page = self.send(&page, form).await.page();
        assert_eq!(page.url.path(), "/oauth/authorize", "after signing in the person is asked: {}", page.html);
        let form = page.form("decision=approve").with("decision", "approve");
        match self.send(&page, form).await {
            Reached::Away(to) => to,
            Reached::Page(page) => panic!("approving leads to {}: {}", page.url, page.html),
        }
    }

    async fn open(&self, url: Url) -> Reached {
        let response = self.http.get(url.clone()).send().await.expect("the server answers");
        self.follow(url, response).await
    }

    async fn send(&self, page: &Page, form: Form) -> Reached {
        let url = page.url.join(&form.action).expect("an action is an address");
        let request = self.http.post(url.clone()).header(ORIGIN, self.base.origin().ascii_serialization());
        let response = request.form(&form.fields).send().await.expect("the server answers");
        self.follow(url, response).await
    }

    async fn follow(&self, mut url: Url, mut response: reqwest::Response) -> Reached {
        for _ in 0..5 {
            if !response.status().is_redirection() {
                let status = response.status();
                let html = response.text().await.expect("a page is text");
                assert!(status.is_success(), "{url} answers {status}: {html}");
                return Reached::Page(Page { url, html });
            }
            let to = response.headers().get(LOCATION).expect("a redirect says where to");
            url = url.join(to.to_str().expect("an address is text")).expect("an address");
            if url.origin() != self.base.origin() {
                return Reached::Away(url.into());
            }
            response = self.http.get(url.clone()).send().await.expect("the server answers");
        }
        panic!("{url} keeps redirecting");
    }
}

impl Reached {
    fn page(self) -> Page {
        match self {
            Self::Page(page) => page,
            Self::Away(to) => panic!("it leads away to {to}"),
        }
    }
}

impl Page {
    /// The form that has an input of this name, or a button with this `name=value`.
    fn form(&self, part: &str) -> Form {
        let forms = Regex::new(r"(?s)<form\b([^>]*)>(.*?)</form>").expect("it is an expression");
        let found = forms.captures_iter(&self.html).map(|form| Form::read(&form[1], &form[2]));
        let mut found = found.filter(|form| form.parts.iter().any(|name| name == part));
        found.next().unwrap_or_else(|| panic!("{} has no form with {part}: {}", self.url, self.html))
    }
}

impl Form {
    fn read(tag: &str, content: &str) -> Self {
        let controls = Regex::new(r"<(input|button)\b([^>]*)>").expect("it is an expression");
        let mut form = Self { action: attribute(tag, "action").unwrap_or_default(), fields: vec![], parts: vec![] };
        for control in controls.captures_iter(content) {
            let tag = &control[2];
            let Some(name) = attribute(tag, "name") else { continue };
            let value = attribute(tag, "value").unwrap_or_default();
            let kind = attribute(tag, "type").unwrap_or_default();
            if &control[1] == "button" || kind == "submit" {
                form.parts.push(format!("{name}={value}"));
                continue;
            }
            form.parts.push(name.clone());
            let sent = match kind.as_str() {
                "checkbox" | "radio" => attribute(tag, "checked").is_some(),
                _ => true,
            };
            if sent && attribute(tag, "disabled").is_none() {
                form.fields.push((name, value));
            }
        }
        form
    }

    /// Fills a field in, or presses the button of this name.
    fn with(mut self, name: &str, value: &str) -> Self {
        self.fields.retain(|(known, _)| known != name);
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// An attribute's value, empty where it has none.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let attributes = Regex::new(r#"([a-z-]+)(?:="([^"]*)")?"#).expect("it is an expression");
    let found = attributes.captures_iter(tag).find(|found| &found[1] == name)?;
    let value = found.get(2).map_or("", |value| value.as_str());
    let named = [
        ("&#34;", "\""),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#60;", "<"),
        ("&lt;", "<"),
        ("&#62;", ">"),
        ("&gt;", ">"),
    ];
    let text = named.iter().fold(value.to_owned(), |text, (from, to)| text.replace(from, to));
    Some(text.replace("&#38;", "&").replace("&amp;", "&"))
}

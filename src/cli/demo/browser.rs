//! A person's browser, as far as the demo needs one: cookies, forms, and links that are not followed by themselves.

use reqwest::header::LOCATION;
use reqwest::{Client, Response, StatusCode};

use tfp_actors::{Code, Error};

/// A browser with a jar of its own.
pub struct Browser {
    http: Client,
    base: String,
}

/// A page as it came.
pub struct Page {
    /// The HTML.
    pub html: String,
    /// The page's address.
    pub url: String,
}

impl Browser {
    /// A browser without cookies that looks at the server at `base`.
    pub fn new(base: &str) -> Result<Self, Error> {
        let http = Client::builder()
            .cookie_store(true)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(Error::internal)?;
        Ok(Self { http, base: base.to_owned() })
    }

    /// Opens a page of the server, by its path or its whole address, following redirects within the server.
    pub async fn open(&self, target: &str) -> Result<Page, Error> {
        let mut url = self.absolute(target);
        for _ in 0..5 {
            let response = self.http.get(&url).send().await.map_err(broken)?;
            match redirect(&response) {
                Some(to) if self.absolute(&to).starts_with(&self.base) => url = self.absolute(&to),
                Some(to) => return Err(odd(&format!("{url} leads away, to {to}"))),
                None => {
                    let status = response.status();
                    let html = response.text().await.map_err(broken)?;
                    return if status.is_success() {
                        Ok(Page { html, url })
                    } else {
                        Err(odd(&format!("{url} answers {status}")))
                    };
                }
            }
        }
        Err(odd(&format!("{url} keeps redirecting")))
    }

    /// Sends the page's form that goes to `action`, its hidden fields and `fields` together, and answers where it leads.
    pub async fn send(&self, page: &Page, action: &str, fields: &[(&str, &str)]) -> Result<String, Error> {
        let mut form =
            hidden_fields(page, action).ok_or_else(|| odd(&format!("{} has no form to {action}", page.url)))?;
        form.extend(fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let response = self
            .http
            .post(self.absolute(action))
            .header("origin", &self.base)
            .header("sec-fetch-site", "same-origin")
            .form(&form)
            .send()
            .await
            .map_err(broken)?;
        let status = response.status();
        match redirect(&response) {
            Some(to) => Ok(to),
            None => Err(odd(&format!("the form to {action} answers {status}"))),
        }
    }

    /// Signs in with a password.
    pub async fn sign_in(&self, handle: &str, password: &str) -> Result<(), Error> {
        let page = self.open("/sign-in").await?;
        self.send(&page, "/sign-in", &[("name", handle), ("password", password)]).await.map(drop)
    }

    fn absolute(&self, target: &str) -> String {
        if target.starts_with('/') { format!("{}{target}", self.base) } else { target.to_owned() }
    }
}

fn redirect(response: &Response) -> Option<String> {
    let moved = matches!(response.status(), StatusCode::FOUND | StatusCode::SEE_OTHER);
    let to = response.headers().get(LOCATION)?.to_str().ok()?;
    moved.then(|| to.to_owned())
}

/// The hidden fields of the form that goes to `action`, in the markup that this server's own pages use.
fn hidden_fields(page: &Page, action: &str) -> Option<Vec<(String, String)>> {
    let form = page.html.split("<form").skip(1).find(|form| {
        let tag = form.split('>').next().unwrap_or_default();
        // A form that names no target goes back to its own page.
        let to = attribute(tag, "action").unwrap_or_else(|| page.url.clone());
        to == action || to.starts_with(&format!("{action}?")) || (to == page.url && to.ends_with(action))
    })?;
    let form = form.split("</form").next()?;
    let fields = form.split("<input").skip(1).filter_map(|input| {
        let tag = input.split('>').next()?;
        (attribute(tag, "type")? == "hidden").then(|| Some((attribute(tag, "name")?, attribute(tag, "value")?)))?
    });
    Some(fields.collect())
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    let (value, _) = rest.split_once('"')?;
    Some(
        value
            .replace("&#34;", "\"")
            .replace("&quot;", "\"")
            .replace("&#39;", "'")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&#60;", "<")
            .replace("&#62;", ">")
            .replace("&#38;", "&")
            .replace("&amp;", "&"),
    )
}

/// The server could not be reached.
pub(super) fn broken(error: reqwest::Error) -> Error {
    Error::new(Code::Unavailable, "the demo could not reach its own server").with_source(error)
}

/// The server answered something that the demo does not expect.
pub(super) fn odd(what: &str) -> Error {
    Error::new(Code::Internal, what)
}

#[cfg(test)]
mod tests {
    use super::{Page, hidden_fields};

    #[test]
    fn hidden_fields_of_the_right_form_are_read_and_unescaped() {
        let html = r#"<form method="post" action="/a"><input type="hidden" name="x" value="1"></form>
            <form method="post" action="/b"><input type="hidden" name="t" value="a&amp;b&#34;"><input type="text" name="n"></form>"#;
        let page = Page { html: html.to_owned(), url: "http://localhost/p".to_owned() };
        assert_eq!(hidden_fields(&page, "/b"), Some(vec![("t".to_owned(), "a&b\"".to_owned())]));
        assert_eq!(hidden_fields(&page, "/c"), None);
        let own = Page { html: "<form method=\"post\"></form>".to_owned(), ..page };
        assert_eq!(hidden_fields(&own, "/p"), Some(Vec::new()));
    }
}

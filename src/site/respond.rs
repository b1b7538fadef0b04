//! Pages as answers: the headers that keep a page from being framed, scripted or cached by others.

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, LOCATION, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use askama::Template;

use tfp_actors::Error;

use crate::problem;
use crate::telemetry::request_id;

/// A page, as a successful answer.
pub fn page(template: &impl Template) -> Result<HttpResponse, Error> {
    page_with(StatusCode::OK, template, None)
}

/// A page with another status, or one whose form leads on to `form_target`: an origin such as `http://127.0.0.1:33418`, or
/// a scheme with its colon. Browsers apply the policy to where a form's answer redirects, too.
pub fn page_with(
    status: StatusCode,
    template: &impl Template,
    form_target: Option<&str>,
) -> Result<HttpResponse, Error> {
    let body = template.render().map_err(Error::internal)?;
    let mut response = HttpResponse::build(status);
    secure(&mut response, form_target);
    Ok(response.content_type("text/html; charset=utf-8").insert_header((CACHE_CONTROL, "no-store")).body(body))
}

/// The headers of every page.
pub fn secure(response: &mut HttpResponseBuilder, form_target: Option<&str>) {
    response
        .insert_header((CONTENT_SECURITY_POLICY, policy(form_target)))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        // Not `no-referrer`: with it browsers send `Origin: null` from this site's own forms.
        .insert_header((REFERRER_POLICY, "same-origin"))
        // No Cross-Origin-Opener-Policy: clients open the consent page in a window of theirs and wait for it to come back.
        .insert_header(("permissions-policy", "camera=(), geolocation=(), microphone=()"));
}

fn policy(form_target: Option<&str>) -> String {
    // Nothing that could end a directive gets in.
    let plain = |target: &&str| target.bytes().all(|b| b.is_ascii_alphanumeric() || b":/.-+[]_".contains(&b));
    let target = form_target.filter(plain).map(|target| format!(" {target}")).unwrap_or_default();
    format!(
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'{target}; \
         frame-ancestors 'none'; base-uri 'none'"
    )
}

/// Sends the browser on to a path of this site, with a GET.
pub fn see_other(path: &str) -> HttpResponse {
    HttpResponse::build(StatusCode::SEE_OTHER)
        .insert_header((LOCATION, path))
        .insert_header((CACHE_CONTROL, "no-store"))
        .finish()
}

/// The answer, or the error as a page.
pub fn answer(request: &HttpRequest, result: Result<HttpResponse, Error>) -> HttpResponse {
    result.unwrap_or_else(|error| problem::page(&error, &request_id(request)))
}

/// A message as a sentence of its own.
pub fn sentence(message: &str) -> String {
    let mut rest = message.chars();
    let first = rest.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", rest.as_str().trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::policy;

    #[test]
    fn a_form_may_lead_on_to_the_one_place_that_was_named() {
        assert!(policy(None).contains("form-action 'self'; frame-ancestors 'none'"));
        for good in ["http://127.0.0.1:33418", "http://[::1]:80", "cursor:", "https://claude.example"] {
            assert!(policy(Some(good)).contains(&format!("form-action 'self' {good};")), "{good}");
        }
        for bad in ["https://a; script-src *", "https://a b", "*", "'unsafe-inline'"] {
            assert_eq!(policy(Some(bad)), policy(None), "{bad}");
        }
    }
}

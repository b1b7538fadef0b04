//! The session's cookie.

use actix_web::HttpRequest;
use actix_web::cookie::{Cookie, SameSite};

use crate::identity::SESSION_LIFE;

/// The cookie's name on an http site.
const PLAIN: &str = "tfp_session";
/// The name on an https site: browsers take a cookie of this prefix only from the site itself, secure and for all its paths.
const HOST: &str = "__Host-tfp_session";

const fn name(https: bool) -> &'static str {
    if https { HOST } else { PLAIN }
}

/// The cookie that carries `value` until the session's end.
pub fn carrying(value: &str, https: bool) -> Cookie<'static> {
    let life = actix_web::cookie::time::Duration::microseconds(SESSION_LIFE.get());
    build(value.to_owned(), https, life)
}

/// The cookie that takes the session's away.
pub fn gone(https: bool) -> Cookie<'static> {
    build(String::new(), https, actix_web::cookie::time::Duration::ZERO)
}

/// The value that a request carries.
pub fn of(request: &HttpRequest, https: bool) -> Option<String> {
    request.cookie(name(https)).map(|cookie| cookie.value().to_owned()).filter(|value| !value.is_empty())
}

fn build(value: String, https: bool, life: actix_web::cookie::time::Duration) -> Cookie<'static> {
    Cookie::build(name(https), value)
        .path("/")
        .http_only(true)
        .secure(https)
        .same_site(SameSite::Lax)
        .max_age(life)
        .finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_out_of_reach_of_scripts_and_other_sites() {
        assert_eq!(
            carrying("v", true).to_string(),
            "__Host-tfp_session=v; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=2592000"
        );
        assert_eq!(carrying("v", false).to_string(), "tfp_session=v; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000");
        assert_eq!(gone(false).to_string(), "tfp_session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0");
    }
}

//! `tfp serve`.

use std::net::TcpListener;

use tfp_actors::Error;

use crate::app::{App, Ports, open_store};
use crate::config::Config;

/// Serves until a signal to stop.
pub fn run(mut config: Config) -> Result<(), Error> {
    // The schema is brought up to date before the actix system starts: migrations block.
    let (store, _) = open_store(&config)?;
    let listener = TcpListener::bind(config.listen)
        .map_err(|e| Error::invalid_field("listen", format!("cannot listen on {}: {e}", config.listen)))?;
    config.listen = listener.local_addr().map_err(Error::internal)?;
    actix_rt::System::new().block_on(async move {
        let app = App::build(config, store, Ports::system()).await?;
        if let Some(link) = app.identity().first_admin_link().await? {
            super::say(&format!("Nobody has an account yet. Make the first administrator here, once:\n  {link}"));
        }
        let server = app.serve(listener).map_err(Error::internal)?;
        super::say(&format!("tfp serves at {0}, agents connect at {0}/mcp", app.services().public_url));
        let served = server.until_signal().await.map_err(Error::internal);
        app.close().await;
        served
    })
}

//! SQLite's one writer, held: whatever is to be written waits until the gate opens.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::mpsc;

use super::server::Server;

/// A writer that waits. It goes on when its value is dropped.
pub struct Gate(mpsc::Sender<()>);

impl Gate {
    /// Holds the writer of a server over SQLite.
    pub fn close(server: &Server) -> Self {
        let (open, may_go) = mpsc::channel();
        let (closed, is_closed) = mpsc::channel();
        let mut once = Some((closed, may_go));
        server.run(|app| async move {
            let store = app.services().store.clone();
            actix_rt::spawn(async move {
                let held = store.write("gate", move |_| {
                    if let Some((closed, may_go)) = once.take() {
                        let _ = closed.send(());
                        let _ = may_go.recv();
                    }
                    Ok(())
                });
                let _ = held.await;
            });
        });
        is_closed.recv().expect("the writer comes to the gate");
        Self(open)
    }

    /// Queues writes behind the gate until the queue takes no more.
    pub fn fill(&self, server: &Server) {
        server.run(|app| async move {
            let refused = Rc::new(Cell::new(false));
            while !refused.get() {
                let (store, refused) = (app.services().store.clone(), refused.clone());
                actix_rt::spawn(async move {
                    if store.write("filler", |_| Ok(())).await.is_err() {
                        refused.set(true);
                    }
                });
                tokio::task::yield_now().await;
            }
        });
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

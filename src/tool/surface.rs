//! The work surface: its tools and resource templates in the order in which clients see them. An area adds its lines
//! here and nowhere else.

use super::Entry;
use super::resource::TemplateEntry;

/// The name of the surface in tokens, receipts and metrics.
pub const NAME: &str = "work";

/// The version of the contract: of the catalogue of tools and the canonical objects.
pub const CONTRACT_VERSION: &str = "0.22.0";

/// The tools.
pub static WORK: &[Entry] = &[];

/// The resource templates.
pub static TEMPLATES: &[TemplateEntry] = &[];

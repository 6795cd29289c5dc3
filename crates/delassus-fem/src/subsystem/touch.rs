//! Where a contact touches deformable solids.

use crate::contact::Stencil;
use delassus_contact::ContactKey;

/// The nodes of a contact, in the common numbering of all solids: first side, second side. A
/// side that is not deformable has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The contact.
    pub key: ContactKey,
    /// Nodes and their shares of each side.
    pub sides: [Stencil; 2],
}

//! The pages for people: layout, assets, forms, and who is signed in.

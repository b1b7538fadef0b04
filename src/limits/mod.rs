//! Rate limits: who counts as one caller, and the fields that tell the caller what is left.

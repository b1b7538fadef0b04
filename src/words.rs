//! Closed sets of words: one declaration makes the enum, its form in JSON and its schema, and its form in rows.

/// Declares an enum whose values are words, the same in JSON, in the schema and in rows.
macro_rules! words {
    ($($(#[$doc:meta])* pub enum $name:ident { $($(#[$word_doc:meta])* $word:ident = $text:literal,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub enum $name { $($(#[$word_doc])* #[serde(rename = $text)] $word,)+ }

        impl $name {
            /// Every value, in the order of its declaration.
            pub const ALL: &'static [Self] = &[$(Self::$word,)+];

            /// The word, as in JSON and in rows.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$word => $text,)+ }
            }

            /// The value of a word.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == word)
            }
        }
    )+};
}

pub(crate) use words;

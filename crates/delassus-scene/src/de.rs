//! From the tree to the types of the description, by serde
//!
//! The tree has been validated against the schema of the same types, so an error here is
//! a disagreement between the two; it still carries the place of the innermost value.

use crate::source::Span;
use crate::tree::{Entry, Node, Value};
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use std::fmt;

/// What serde did not accept, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// In serde's words.
    pub message: String,
    /// The innermost value.
    pub span: Option<Span>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refused {}

impl serde::de::Error for Refused {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { message: message.to_string(), span: None }
    }
}

impl Refused {
    fn at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }
}

impl<'de> serde::Deserializer<'de> for &'de Node {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match &self.value {
            Value::Boolean(b) => visitor.visit_bool(*b),
            Value::Integer(i) => visitor.visit_i64(*i),
            Value::Float(x) => visitor.visit_f64(*x),
            Value::String(s) | Value::Datetime(s) => visitor.visit_borrowed_str(s),
            Value::Array(items) => visitor.visit_seq(Items(items.iter())),
            Value::Table(entries) => visitor.visit_map(Entries { entries: entries.iter(), value: None }),
        }
        .map_err(|e: Refused| e.at(self.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        match &self.value {
            Value::String(s) => visitor.visit_enum(s.as_str().into_deserializer()),
            Value::Table(entries) => match entries.as_slice() {
                [entry] => visitor.visit_enum(Tagged(entry)),
                _ => Err(Refused::custom("exactly one key is expected")),
            },
            _ => Err(Refused::custom(format!("a name or a table is expected, found {}", self.kind()))),
        }
        .map_err(|e| e.at(self.span))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Items<'de>(std::slice::Iter<'de, Node>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refused> {
        self.0.next().map(|node| seed.deserialize(node)).transpose()
    }
}

struct Entries<'de> {
    entries: std::slice::Iter<'de, Entry>,
    value: Option<&'de Node>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Refused> {
        let Some(entry) = self.entries.next() else { return Ok(None) };
        self.value = Some(&entry.node);
        let key: StrDeserializer<'_, Refused> = entry.key.as_str().into_deserializer();
        seed.deserialize(key).map(Some).map_err(|e| e.at(entry.span))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Refused> {
        match self.value.take() {
            Some(node) => seed.deserialize(node),
            None => Err(Refused::custom("a value was asked for before its key")),
        }
    }
}

/// `{ name = content }` as an externally tagged variant.
struct Tagged<'de>(&'de Entry);

impl<'de> EnumAccess<'de> for Tagged<'de> {
    type Error = Refused;
    type Variant = &'de Node;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, &'de Node), Refused> {
        let key: StrDeserializer<'_, Refused> = self.0.key.as_str().into_deserializer();
        let variant = seed.deserialize(key).map_err(|e| e.at(self.0.span))?;
        Ok((variant, &self.0.node))
    }
}

impl<'de> VariantAccess<'de> for &'de Node {
    type Error = Refused;

    fn unit_variant(self) -> Result<(), Refused> {
        match &self.value {
            Value::Table(entries) if entries.is_empty() => Ok(()),
            _ => Err(Refused::custom("an empty table is expected").at(self.span)),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Refused> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Refused> {
        serde::Deserializer::deserialize_any(self, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Refused> {
        serde::Deserializer::deserialize_any(self, visitor)
    }
}

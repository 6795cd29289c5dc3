//! Ways of writing several things: one or many, named tables or arrays, number or expression.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// One table, or an array of tables.
#[derive(Clone, Debug)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// Tables by name, `[body.floor]`, or an array of tables with `name`, in the order of the file.
#[derive(Clone, Debug)]
pub struct Named<T> {
    /// Names given by keys; `None` for items of an array, which have `name` inside.
    pub items: Vec<(Option<String>, T)>,
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self { items: Vec::new() }
    }
}

struct Several<T, R>(PhantomData<(T, R)>);

impl<'de, T: DeserializeOwned> Visitor<'de> for Several<T, OneOrMany<T>> {
    type Value = OneOrMany<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table or an array of tables")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(serde::de::value::MapAccessDeserializer::new(map)).map(|one| OneOrMany(vec![one]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(OneOrMany(items))
    }
}

impl<'de, T: DeserializeOwned> Visitor<'de> for Several<T, Named<T>> {
    type Value = Named<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("named tables or an array of tables")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some((name, item)) = map.next_entry::<String, T>()? {
            items.push((Some(name), item));
        }
        Ok(Named { items })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push((None, item));
        }
        Ok(Named { items })
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Several::<T, OneOrMany<T>>(PhantomData))
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Several::<T, Named<T>>(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

impl<T: JsonSchema> JsonSchema for Named<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Named{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [
            { "type": "object", "additionalProperties": one },
            { "type": "array", "items": one },
        ] })
    }
}

/// A number, or an expression of `t` and of what the key says, with `pi`, `sin`, `cos`, `sqrt`, `exp`, …
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Formula {
    /// A constant.
    Number(f64),
    /// An expression.
    Text(String),
}

impl Formula {
    /// The text of the expression.
    pub fn text(&self) -> String {
        match self {
            Self::Number(x) => format!("({x})"),
            Self::Text(text) => text.clone(),
        }
    }
}

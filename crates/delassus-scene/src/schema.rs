//! The JSON Schema of scenes: one for editors, one for [`crate::validate`]
//!
//! Both come from the types of [`crate::description`]. TOML has no null, so optional keys
//! lose it; the one for editors also accepts `"=expression"` wherever a number is wanted.

use crate::description::Description;
use serde_json::{Map, Value as Json, json};
use std::sync::OnceLock;

/// The schema the tree is judged by.
pub(crate) fn internal() -> &'static Json {
    static SCHEMA: OnceLock<Json> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut schema = schemars::schema_for!(Description).to_value();
        without_null(&mut schema);
        schema
    })
}

/// The JSON Schema of scene files, for editors; written by `delassus schema`.
///
/// An editor with TOML support uses it after a first line
/// `#:schema path/to/scene.schema.json`.
pub fn schema() -> String {
    let mut schema = internal().clone();
    with_expressions(&mut schema);
    serde_json::to_string_pretty(&schema).expect("a JSON value is always written")
}

/// Removes `null` from types and alternatives.
fn without_null(schema: &mut Json) {
    match schema {
        Json::Object(part) => {
            if part.get("default") == Some(&Json::Null) {
                part.remove("default");
            }
            if let Some(Json::Array(types)) = part.get_mut("type") {
                types.retain(|t| t != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    part.insert("type".to_owned(), only);
                }
            }
            drop_null_alternative(part);
            part.values_mut().for_each(without_null);
        }
        Json::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}

fn drop_null_alternative(part: &mut Map<String, Json>) {
    let Some(Json::Array(options)) = part.get_mut("anyOf") else { return };
    options.retain(|o| o.get("type") != Some(&json!("null")));
    if let [Json::Object(only)] = options.as_slice() {
        let only = only.clone();
        part.remove("anyOf");
        for (key, value) in only {
            part.entry(key).or_insert(value);
        }
    }
}

/// Lets `"=…"` stand for a number.
fn with_expressions(schema: &mut Json) {
    match schema {
        Json::Object(part) => {
            let numeric = part.get("type").is_some_and(|t| t == "number" || t == "integer");
            if numeric {
                let description = part.remove("description");
                let default = part.remove("default");
                let number = Json::Object(std::mem::take(part));
                let text = json!({ "type": "string", "pattern": "^=" });
                part.insert("anyOf".to_owned(), json!([number, text]));
                part.extend(description.map(|d| ("description".to_owned(), d)));
                part.extend(default.map(|d| ("default".to_owned(), d)));
            } else {
                part.values_mut().for_each(with_expressions);
            }
        }
        Json::Array(items) => items.iter_mut().for_each(with_expressions),
        _ => {}
    }
}

//! The schema for editors: every key has a text, and knows expressions.

use serde_json::Value;

#[test]
fn every_key_is_described() {
    let schema: Value = serde_json::from_str(&delassus_scene::schema()).expect("JSON");
    let mut keys = 0;
    walk(&schema, "", &mut |path, properties| {
        for (key, value) in properties {
            keys += 1;
            let described = value.get("description").is_some() || value.get("const").is_some();
            assert!(described || variant(value), "{path}.{key} has no description");
        }
    });
    assert!(keys > 150, "{keys}");
}

/// The content of a variant, which the variant describes.
fn variant(value: &Value) -> bool {
    value.get("properties").is_some() || value.get("type") == Some(&Value::from("object"))
}

fn walk(value: &Value, path: &str, visit: &mut dyn FnMut(&str, &serde_json::Map<String, Value>)) {
    match value {
        Value::Object(part) => {
            if let Some(Value::Object(properties)) = part.get("properties") {
                visit(path, properties);
            }
            part.iter().for_each(|(key, inner)| walk(inner, &format!("{path}/{key}"), visit));
        }
        Value::Array(items) => items.iter().for_each(|inner| walk(inner, path, visit)),
        _ => {}
    }
}

#[test]
fn numbers_may_be_expressions() {
    let schema: Value = serde_json::from_str(&delassus_scene::schema()).expect("JSON");
    let friction = &schema["$defs"]["Law"]["properties"]["friction"];
    assert_eq!(friction["anyOf"][0]["minimum"], 0);
    assert_eq!(friction["anyOf"][1]["pattern"], "^=");
}

//! What `wasm-bindgen` does on the command line, in the version that Cargo.lock names: the module that JavaScript imports,
//! and the engine beside it.
//!
//!     bind ENGINE.wasm DIR

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [engine, folder] = args.as_slice() else { return Err("usage: bind ENGINE.wasm DIR".into()) };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(engine).typescript(false).remove_name_section(true).web(true)?;
    Ok(bindgen.generate(folder)?)
}

//! The server of the page: loopback, one token, these runs and nothing else
//!
//! ```text
//! GET /TOKEN/                                   the page
//! GET /TOKEN/runs                               which runs, and whether one is being computed
//! GET /TOKEN/run/0/{meta, geometry, cast, status}
//! GET /TOKEN/run/0/frame?at=3&fields=a,b        fields of a frame, single precision
//! GET /TOKEN/run/0/series?name=energy/kinetic   against time, full precision
//! GET /TOKEN/run/0/history?field=f&item=3&most=500
//! GET /TOKEN/run/0/pair?a=0&b=1&most=500        forces of one body on another
//! GET /TOKEN/run/0/resultant?body=1&most=500    forces of all contacts on a body
//! GET /TOKEN/run/0/values?at=3&group=bodies&item=3   exact, from a frame that agrees with its hash
//! GET, POST /TOKEN/live                         a run that is being computed: how it stands; pause, step, push
//! ```
//!
//! Frames are read from the disk when they are asked for; the server keeps none.

use crate::embed::{SCRIPT, STYLE, index};
use crate::http::{self, Request, Response};
use crate::{Cast, Error, film, forces};
use delassus_record::Run;
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

/// Bytes of an order to a run.
const ORDER: usize = 1 << 16;
/// Nothing comes from elsewhere, and nobody may put the page into theirs.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data: blob:; media-src blob:; worker-src 'self' blob:; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// A run that is being computed.
pub trait Live: Send + Sync {
    /// How it stands.
    fn status(&self) -> Value;
    /// Pause, go on, step, push.
    fn order(&self, order: &Value) -> Result<(), String>;
}

/// Tells what the scene of a run knows about its bodies.
pub type Told = Box<dyn Fn(&Run) -> Result<Cast, String> + Send + Sync>;

/// What is shown.
pub struct Show {
    /// The runs, side by side.
    pub runs: Vec<PathBuf>,
    /// From a run to its cast.
    pub told: Told,
    /// The run that is being computed.
    pub live: Option<Arc<dyn Live>>,
    /// Further files, by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// Port; 0 for any that is free.
    pub port: u16,
}

/// What tells two states of a file apart.
type Stamp = (u64, Option<SystemTime>, u64);

fn stamp(path: &Path) -> std::io::Result<Stamp> {
    let file = std::fs::metadata(path)?;
    let journal = std::fs::metadata(format!("{}.journal", path.display())).map_or(0, |m| m.len());
    Ok((file.len(), file.modified().ok(), journal))
}

/// One run, opened again where its file has changed.
struct Reel {
    path: PathBuf,
    open: Mutex<Option<(Stamp, Arc<Run>)>>,
    cast: OnceLock<Value>,
}

impl Reel {
    fn run(&self) -> Result<Arc<Run>, Error> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let now = stamp(&self.path);
        match (&*open, &now) {
            (Some((then, run)), Ok(now)) if then == now => return Ok(run.clone()),
            _ => {}
        }
        let run = Arc::new(Run::open(&self.path)?);
        if let Ok(now) = now {
            *open = Some((now, run.clone()));
        }
        Ok(run)
    }
}

struct Shared {
    token: String,
    host: String,
    reels: Vec<Reel>,
    show: Show,
}

/// A server at work.
pub struct Server {
    /// The address with its token.
    pub address: String,
    worker: std::thread::JoinHandle<()>,
}

impl Server {
    /// Waits for ever.
    pub fn wait(self) {
        let _ = self.worker.join();
    }
}

/// Starts to serve.
///
/// # Errors
/// The port is taken.
pub fn start(show: Show) -> Result<Server, Error> {
    let address = format!("127.0.0.1:{}", show.port);
    let refused = |reason: String| Error::Listen { address: address.clone(), reason };
    let listener = TcpListener::bind(&address).map_err(|e| refused(e.to_string()))?;
    let port = listener.local_addr().map_or(show.port, |a| a.port());
    let token: String = {
        let mut random = StdRng::from_os_rng();
        (0..32).map(|_| char::from_digit(random.random_range(0..16), 16).unwrap_or('0')).collect()
    };
    let host = format!("127.0.0.1:{port}");
    let reel = |path: &PathBuf| Reel { path: path.clone(), open: Mutex::default(), cast: OnceLock::new() };
    let reels = show.runs.iter().map(reel).collect();
    let address = format!("http://{host}/{token}/");
    let shared = Shared { token, host, reels, show };
    let worker = std::thread::spawn(move || http::serve(&listener, ORDER, move |request| answer(&shared, request)));
    Ok(Server { address, worker })
}

/// Bytes and their type.
struct Answer {
    code: u16,
    kind: &'static str,
    bytes: Vec<u8>,
}

impl Answer {
    fn json(code: u16, value: &Value) -> Self {
        Self { code, kind: "application/json", bytes: value.to_string().into_bytes() }
    }

    fn pack(bytes: Vec<u8>) -> Self {
        Self { code: 200, kind: "application/octet-stream", bytes }
    }

    fn file(kind: &'static str, bytes: impl Into<Vec<u8>>) -> Self {
        Self { code: 200, kind, bytes: bytes.into() }
    }

    fn refused(code: u16, message: &str) -> Self {
        Self::json(code, &json!({ "error": message }))
    }
}

fn answer(shared: &Shared, request: &Request) -> Response {
    // A defect met with one file must not end the others.
    let reply = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| route(shared, request)));
    let reply = reply.unwrap_or_else(|_| Answer::refused(500, "internal error, please report it with the run"));
    let headers = vec![
        ("Content-Type", reply.kind),
        ("Content-Security-Policy", POLICY),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ];
    Response { code: reply.code, headers, bytes: reply.bytes }
}

fn route(shared: &Shared, request: &Request) -> Answer {
    // Another site that lets its name mean this machine must not read the runs.
    let port = shared.host.rsplit(':').next().unwrap_or("");
    let is_ours = |host: &str| host == shared.host || host == format!("localhost:{port}");
    // A page of another site may not even ask, whatever it could do with the answer.
    let foreign = request.header("Origin").is_some_and(|o| !o.strip_prefix("http://").is_some_and(is_ours));
    if foreign || !request.header("Host").is_some_and(is_ours) {
        return Answer::refused(403, "open the address that the command printed");
    }
    let url = request.target.as_str();
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let Some(rest) = path.strip_prefix('/').and_then(|p| p.strip_prefix(shared.token.as_str())) else {
        return Answer::refused(404, "open the address that the command printed, with its token");
    };
    let parts: Vec<&str> = rest.trim_start_matches('/').split('/').collect();
    match (request.method.as_str(), parts.as_slice()) {
        ("GET", [""] | ["index.html"]) => Answer::file("text/html; charset=utf-8", page(shared)),
        ("GET", ["view.js"]) => Answer::file("text/javascript; charset=utf-8", SCRIPT),
        ("GET", ["view.css"]) => Answer::file("text/css; charset=utf-8", STYLE),
        ("GET", ["runs"]) => runs(shared),
        ("GET", ["live"]) => {
            shared.show.live.as_ref().map_or_else(|| nothing(path), |live| Answer::json(200, &live.status()))
        }
        ("POST", ["live"]) => order(shared, request),
        ("GET", ["run", number, what]) => {
            let reel = number.parse().ok().and_then(|i: usize| shared.reels.get(i));
            let Some(reel) = reel else { return nothing(path) };
            match patiently(|| about(shared, reel, what, &Query::new(query))) {
                Ok(Some(answer)) => answer,
                Ok(None) => nothing(path),
                Err(error) => Answer::refused(422, &told(&error, &reel.path)),
            }
        }
        ("GET", [name]) => match shared.show.files.iter().find(|(file, _)| file == name) {
            Some((_, bytes)) => Answer::file(kind(name), bytes.clone()),
            None => nothing(path),
        },
        _ => nothing(path),
    }
}

/// The page; a run that cannot be read is said by it, when it asks.
fn page(shared: &Shared) -> String {
    let run = shared.reels.first().and_then(|reel| reel.run().ok()).filter(|run| run.frames() > 0);
    index(run.as_ref().map(|run| run.header()))
}

/// The type of a file by the end of its name.
fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

fn nothing(path: &str) -> Answer {
    Answer::refused(404, &format!("nothing is at {path}"))
}

/// What to do about it.
fn told(error: &Error, path: &Path) -> String {
    use delassus_record::Error as Of;
    match error {
        _ if !path.exists() => format!("{} is not there any more: it was removed or renamed", path.display()),
        Error::Record(Of::Damaged { .. } | Of::Hdf5 { .. }) => {
            format!(
                "{error}; the file was changed or cut since it was written: take a copy of it, or run the scene again"
            )
        }
        _ => error.to_string(),
    }
}

fn runs(shared: &Shared) -> Answer {
    let name = |reel: &Reel| reel.path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let names: Vec<String> = shared.reels.iter().map(name).collect();
    Answer::json(200, &json!({ "runs": names, "live": shared.show.live.is_some() }))
}

/// Tries again for a moment: a file that is being written may be read between two of its writes.
fn patiently<T, E>(mut attempt: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    for _ in 0..5 {
        let done = attempt();
        if done.is_ok() {
            return done;
        }
        std::thread::sleep(std::time::Duration::from_millis(30));
    }
    attempt()
}

fn order(shared: &Shared, request: &Request) -> Answer {
    let Some(live) = shared.show.live.as_ref() else { return Answer::refused(404, "no run is being computed") };
    let Ok(text) = std::str::from_utf8(&request.body) else { return Answer::refused(400, "an order is text") };
    let done = serde_json::from_str::<Value>(text).map_err(|e| e.to_string()).and_then(|order| live.order(&order));
    match done {
        Ok(()) => Answer::json(200, &live.status()),
        Err(message) => Answer::refused(422, &message),
    }
}

fn about(shared: &Shared, reel: &Reel, what: &str, query: &Query<'_>) -> Result<Option<Answer>, Error> {
    let run = reel.run()?;
    Ok(Some(match what {
        "meta" => {
            let mut meta = film::meta(&*run);
            meta["file"] = reel.path.display().to_string().into();
            meta["bytes"] = run.file_bytes().into();
            meta["growing"] = run.is_growing().into();
            Answer::json(200, &meta)
        }
        "status" => status(&run, query.number("from")?.unwrap_or(0)),
        "geometry" => Answer::pack(film::geometry(run.header())),
        "cast" => Answer::json(
            200,
            reel.cast.get_or_init(|| match (shared.show.told)(&run) {
                Ok(cast) => json!(cast),
                Err(message) => json!({ "error": message }),
            }),
        ),
        "frame" => {
            let fields = query.text("fields").unwrap_or_default();
            let fields: Vec<&str> = fields.split(',').filter(|f| !f.is_empty()).collect();
            Answer::pack(film::frame(&*run, query.needed("at")?, &fields)?)
        }
        "series" => Answer::pack(film::series(&*run, &query.text("name").unwrap_or_default())?),
        "history" => {
            let (item, most) = (query.needed("item")?, query.number("most")?.unwrap_or(500));
            Answer::pack(film::history(&*run, &query.text("field").unwrap_or_default(), item, most)?)
        }
        "pair" => {
            let bodies = [query.body("a")?, query.body("b")?];
            Answer::pack(forces::pair(&*run, bodies, query.number("most")?.unwrap_or(500))?)
        }
        "resultant" => {
            let (body, most) = (query.body("body")?, query.number("most")?.unwrap_or(500));
            Answer::pack(forces::resultant(&*run, body, most)?)
        }
        "values" => {
            let group = query.text("group").unwrap_or_default();
            Answer::json(200, &film::values(&*run, query.needed("at")?, &group, query.needed("item")?)?)
        }
        _ => return Ok(None),
    }))
}

/// Frames that came since the page last looked.
fn status(run: &Run, from: usize) -> Answer {
    let from = from.min(run.frames());
    Answer::json(
        200,
        &json!({
            "frames": run.frames(),
            "growing": run.is_growing(),
            "bytes": run.file_bytes(),
            "times": &run.times()[from..],
            "steps": &run.steps()[from..],
        }),
    )
}

/// What follows the question mark.
struct Query<'a>(&'a str);

impl<'a> Query<'a> {
    fn new(text: &'a str) -> Self {
        Self(text)
    }

    fn text(&self, key: &str) -> Option<String> {
        let pairs = self.0.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(k, _)| *k == key).map(|(_, v)| decoded(v)).next()
    }

    fn number(&self, key: &'static str) -> Result<Option<usize>, Error> {
        let Some(value) = self.text(key) else { return Ok(None) };
        value.parse().map(Some).map_err(|_| Error::Asked { key, value, expected: "a number from 0" })
    }

    fn body(&self, key: &'static str) -> Result<u32, Error> {
        let number = self.needed(key)?;
        let refused = |_| Error::Asked { key, value: number.to_string(), expected: "the number of a body" };
        u32::try_from(number).map_err(refused)
    }

    fn needed(&self, key: &'static str) -> Result<usize, Error> {
        self.number(key)?.ok_or(Error::Asked { key, value: String::new(), expected: "a number from 0" })
    }
}

/// `%2F` and the like as the characters they stand for.
fn decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let hex = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
        match byte {
            b'%' => {
                let pair = [bytes.next().and_then(hex), bytes.next().and_then(hex)];
                if let [Some(high), Some(low)] = pair {
                    out.push(16 * high + low);
                }
            }
            b'+' => out.push(b' '),
            other => out.push(other),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
